-- What a hold is about. Whether it is still held is said by the hold.
create table stays (
  tenant bigint not null,
  hold uuid not null,
  property text collate "C" not null,
  quote uuid,
  conversation text collate "C",
  checkin text collate "C" not null,
  checkout text collate "C" not null,
  rooms json not null,
  total bigint not null check (total >= 0),
  currency text not null check (length(currency) = 3),
  checkout_session json,
  awaiting_payment boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version bigint not null,
  primary key (tenant, hold),
  constraint at_least_a_night check (checkin < checkout)
);

-- Conditions that are always true, here and below: whoever looks for the first column behind the tenant shows them, and
-- whoever looks for a key does not, so that Postgres never takes one of these for the way to a key.
create index stays_by_property on stays (tenant, property, checkin) where property is not null;
create index stays_by_conversation on stays (tenant, conversation) where conversation is not null;

-- Personal data, and all of it.
create table guests (
  tenant bigint not null,
  hold uuid not null,
  name text,
  email text,
  phone text,
  erased_at timestamptz,
  version bigint not null,
  primary key (tenant, hold),
  constraint erased_is_empty check (erased_at is null or (name is null and email is null and phone is null))
);

-- One for each hold at most: it is the key.
create table reservations (
  tenant bigint not null,
  hold uuid not null,
  booked_by uuid not null,
  property text collate "C" not null,
  state text not null check (state = 'confirmed' or state = 'cancelled' or state = 'no_show'),
  checkin text collate "C" not null,
  checkout text collate "C" not null,
  rooms json not null,
  total bigint not null check (total >= 0),
  paid bigint not null check (paid >= 0),
  refunded bigint not null check (refunded >= 0),
  penalty bigint not null check (penalty >= 0),
  waived_by text,
  currency text not null check (length(currency) = 3),
  source text not null
    check (source = 'payment' or source = 'late_payment' or source = 'desk' or source = 'walk_in'),
  payment text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  version bigint not null,
  primary key (tenant, hold),
  constraint ended_when_not_confirmed check ((state = 'confirmed') = (ended_at is null)),
  constraint at_least_a_night check (checkin < checkout)
);

create unique index reservations_by_booking on reservations (tenant, booked_by) where booked_by is not null;
create index reservations_by_arrival on reservations (tenant, property, checkin) where property is not null;
create index reservations_by_departure on reservations (tenant, property, checkout) where property is not null;

create table payments (
  tenant bigint not null,
  provider text collate "C" not null,
  object text collate "C" not null,
  hold uuid not null,
  account text not null,
  amount bigint not null check (amount > 0),
  currency text not null check (length(currency) = 3),
  state text not null check (state = 'created' or state = 'awaiting' or state = 'expired' or state = 'failed'
    or state = 'succeeded' or state = 'partially_refunded' or state = 'refunded'),
  payment_intent text,
  charge text,
  received bigint not null check (received >= 0),
  refunded bigint not null check (refunded >= 0),
  refunded_elsewhere bigint not null check (refunded_elsewhere >= 0),
  refund_asked bigint not null check (refund_asked >= 0 and refund_asked <= received),
  refund_confirmed bigint not null check (refund_confirmed >= 0 and refund_confirmed <= refund_asked),
  refund_failed bigint not null check (refund_failed >= 0),
  refunds bigint not null check (refunds >= 0),
  dispute text check (dispute = 'open' or dispute = 'won' or dispute = 'lost'),
  resolution text check (resolution = 'reservation' or resolution = 'refund' or resolution = 'case'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version bigint not null,
  primary key (tenant, provider, object)
);

create index payments_by_hold on payments (tenant, hold, state) where hold is not null;

-- The payment that later news are about, by the other names that the provider has for it.
create table payment_aliases (
  tenant bigint not null,
  provider text collate "C" not null,
  object text collate "C" not null,
  payment text collate "C" not null,
  version bigint not null,
  primary key (tenant, provider, object)
);

select surehold_protect('stays');
select surehold_protect('guests');
select surehold_protect('reservations');
select surehold_protect('payments');
select surehold_protect('payment_aliases');

-- For people and their reports: the nights that a stay claims, one row for each type of room and night. Whoever asks
-- sees what it may see of the tables.
create view hold_nights (tenant, hold_id, property_id, room_type_id, date, qty) with (security_invoker = true) as
select
  stays.tenant,
  stays.hold,
  stays.property,
  substr(line.value ->> 0, length(stays.property) + 2),
  line.value ->> 1,
  (line.value ->> 2)::bigint
from stays
join holds on holds.tenant = stays.tenant and holds.id = stays.hold
cross join lateral json_array_elements(holds.lines) as line (value);

grant select on hold_nights to surehold_reader, surehold_writer;
