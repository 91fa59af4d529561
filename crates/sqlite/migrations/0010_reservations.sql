-- What a hold is about. Whether it is still held is said by the hold.
create table stays (
  tenant integer not null,
  hold blob not null check (length(hold) = 16),
  property text not null,
  quote blob check (length(quote) = 16),
  conversation text,
  checkin text not null,
  checkout text not null,
  rooms text not null,
  total integer not null check (total >= 0),
  currency text not null check (length(currency) = 3),
  checkout_session text,
  awaiting_payment integer not null check (awaiting_payment = 0 or awaiting_payment = 1),
  created_at integer not null,
  updated_at integer not null,
  version integer not null,
  primary key (tenant, hold),
  constraint at_least_a_night check (checkin < checkout)
) strict, without rowid;

create index stays_by_property on stays (tenant, property, checkin);
create index stays_by_conversation on stays (tenant, conversation) where conversation is not null;

-- Personal data, and all of it.
create table guests (
  tenant integer not null,
  hold blob not null check (length(hold) = 16),
  name text,
  email text,
  phone text,
  erased_at integer,
  version integer not null,
  primary key (tenant, hold),
  constraint erased_is_empty check (erased_at is null or (name is null and email is null and phone is null))
) strict, without rowid;

-- One for each hold at most: it is the key.
create table reservations (
  tenant integer not null,
  hold blob not null check (length(hold) = 16),
  booked_by blob not null check (length(booked_by) = 16),
  property text not null,
  state text not null check (state = 'confirmed' or state = 'cancelled' or state = 'no_show'),
  checkin text not null,
  checkout text not null,
  rooms text not null,
  total integer not null check (total >= 0),
  paid integer not null check (paid >= 0),
  refunded integer not null check (refunded >= 0),
  penalty integer not null check (penalty >= 0),
  waived_by text,
  currency text not null check (length(currency) = 3),
  source text not null
    check (source = 'payment' or source = 'late_payment' or source = 'desk' or source = 'walk_in'),
  payment text,
  created_at integer not null,
  updated_at integer not null,
  ended_at integer,
  version integer not null,
  primary key (tenant, hold),
  constraint ended_when_not_confirmed check ((state = 'confirmed') = (ended_at is null)),
  constraint at_least_a_night check (checkin < checkout)
) strict, without rowid;

create unique index reservations_by_booking on reservations (tenant, booked_by);
create index reservations_by_arrival on reservations (tenant, property, checkin);
create index reservations_by_departure on reservations (tenant, property, checkout);

create table payments (
  tenant integer not null,
  provider text not null,
  object text not null,
  hold blob not null check (length(hold) = 16),
  account text not null,
  amount integer not null check (amount > 0),
  currency text not null check (length(currency) = 3),
  state text not null check (state = 'created' or state = 'awaiting' or state = 'expired' or state = 'failed'
    or state = 'succeeded' or state = 'partially_refunded' or state = 'refunded'),
  payment_intent text,
  charge text,
  received integer not null check (received >= 0),
  refunded integer not null check (refunded >= 0),
  refunded_elsewhere integer not null check (refunded_elsewhere >= 0),
  refund_asked integer not null check (refund_asked >= 0 and refund_asked <= received),
  refund_confirmed integer not null check (refund_confirmed >= 0 and refund_confirmed <= refund_asked),
  refund_failed integer not null check (refund_failed >= 0),
  refunds integer not null check (refunds >= 0),
  dispute text check (dispute = 'open' or dispute = 'won' or dispute = 'lost'),
  resolution text check (resolution = 'reservation' or resolution = 'refund' or resolution = 'case'),
  created_at integer not null,
  updated_at integer not null,
  version integer not null,
  primary key (tenant, provider, object)
) strict, without rowid;

create index payments_by_hold on payments (tenant, hold, state);

-- The payment that later news are about, by the other names that the provider has for it.
create table payment_aliases (
  tenant integer not null,
  provider text not null,
  object text not null,
  payment text not null,
  version integer not null,
  primary key (tenant, provider, object)
) strict, without rowid;

-- For people and their reports: the nights that a stay claims, one row for each type of room and night.
create view hold_nights (tenant, hold_id, property_id, room_type_id, date, qty) as
select
  stays.tenant,
  stays.hold,
  stays.property,
  substr(line.value ->> 0, length(stays.property) + 2),
  line.value ->> 1,
  line.value ->> 2
from stays
join holds on holds.tenant = stays.tenant and holds.id = stays.hold
join json_each(holds.lines) as line;
