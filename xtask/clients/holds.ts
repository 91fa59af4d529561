// Places a hold, places it again, converts it and finds it in the events, through types that were generated.

import createClient from "openapi-fetch";

import type { components, paths } from "./schema.js";

declare const process: { env: Record<string, string | undefined> };

const QUANTITY = 2;

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
}

function expect(met: boolean, found: unknown): asserts met {
  if (!met) throw new Error(JSON.stringify(found));
}

function uuid7(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  new DataView(bytes.buffer).setBigUint64(0, (BigInt(Date.now()) << 16n) | 0x7000n | BigInt(bytes[7] ?? 0));
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const tenant = given("SUREHOLD_TENANT");
// Answers and problems; not the streams of events, which no client of this kind reads.
const client = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: given("SUREHOLD_ADDRESS"),
  headers: { Authorization: `Bearer ${given("SUREHOLD_KEY")}` },
});

async function eventTypes(hold: string): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (;;) {
    const { data, error } = await client.GET("/v1/{tenant}/events", {
      params: { path: { tenant }, query: after === undefined ? {} : { after } },
    });
    expect(data !== undefined, error);
    for (const event of data.events) {
      // What an event has follows from its type.
      if (event.type === "hold_placed" && event.hold === hold) found.push(event.type);
      if (event.type === "hold_converted" && event.hold === hold) found.push(`${event.type} to ${event.mode}`);
    }
    if (!data.more) return found;
    after = data.next;
  }
}

const wanted: components["schemas"]["PlaceHold"] = {
  id: uuid7(),
  lines: [{ resource: "t-shirt", quantity: QUANTITY }],
  reference: "generated for TypeScript",
};
for (const _ of [1, 2]) {
  const { data: hold, error } = await client.POST("/v1/{tenant}/holds", { params: { path: { tenant } }, body: wanted });
  expect(hold !== undefined, error);
  expect(hold.id === wanted.id && hold.state === "active" && hold.lines[0]?.quantity === QUANTITY, hold);
}
const hold = wanted.id ?? "";
const { data: converted, error } = await client.POST("/v1/{tenant}/holds/{hold}/convert", {
  params: { path: { tenant, hold } },
  body: { mode: "book" },
});
expect(converted !== undefined, error);
expect(converted.id === hold && converted.state === "converted", converted);
const found = await eventTypes(hold);
expect(found.join() === "hold_placed,hold_converted to book", found);
