"""Places a hold, places it again, converts it and finds it in the events, through the client that was generated."""

import os
import secrets
import time
from uuid import UUID

from surehold_client import AuthenticatedClient
from surehold_client.api.events import events
from surehold_client.api.holds import hold_convert, hold_place
from surehold_client.models import ConvertHold, ConvertMode, EventPage, Hold, HoldState, Line, PlaceHold
from surehold_client.types import UNSET

TENANT = os.environ["SUREHOLD_TENANT"]
QUANTITY = 2


def uuid7() -> UUID:
    millis = time.time_ns() // 1_000_000
    return UUID(int=millis << 80 | 0x7 << 76 | secrets.randbits(12) << 64 | 0b10 << 62 | secrets.randbits(62))


def event_types(client: AuthenticatedClient, hold: UUID) -> list[str]:
    found, after = [], UNSET
    while True:
        page = events.sync(TENANT, client=client, after=after)
        assert isinstance(page, EventPage), page
        written = [event.to_dict() for event in page.events]
        found += [event["type"] for event in written if event.get("hold") == str(hold)]
        if not page.more:
            return found
        after = page.next_


def main() -> None:
    client = AuthenticatedClient(os.environ["SUREHOLD_ADDRESS"], os.environ["SUREHOLD_KEY"])
    wanted = PlaceHold(id=uuid7(), lines=[Line(resource="t-shirt", quantity=QUANTITY)], reference="generated for Python")
    for _ in range(2):
        hold = hold_place.sync(TENANT, client=client, body=wanted)
        assert isinstance(hold, Hold), hold
        assert (hold.id, hold.state, hold.lines[0].quantity) == (wanted.id, HoldState.ACTIVE, QUANTITY), hold
    converted = hold_convert.sync(TENANT, hold.id, client=client, body=ConvertHold(mode=ConvertMode.BOOK))
    assert isinstance(converted, Hold), converted
    assert (converted.id, converted.state) == (hold.id, HoldState.CONVERTED), converted
    found = event_types(client, hold.id)
    assert found == ["hold_placed", "hold_converted"], found


main()
