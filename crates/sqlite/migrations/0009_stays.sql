-- A place with one time zone and one currency. The counts keep what a quote reads bounded.
create table properties (
  tenant integer not null,
  name text not null,
  title text not null,
  time_zone text not null,
  currency text not null check (length(currency) = 3),
  check_in text not null,
  terms text not null,
  payment_account text,
  room_types integer not null check (room_types >= 0),
  rate_plans integer not null check (rate_plans >= 0),
  version integer not null,
  primary key (tenant, name)
) strict, without rowid;

-- Rooms that are sold as equals. How many there are on a night is said by the pool `property/code`.
create table room_types (
  tenant integer not null,
  property text not null,
  code text not null,
  title text not null,
  guests_max integer not null check (guests_max > 0),
  version integer not null,
  primary key (tenant, property, code)
) strict, without rowid;

create table rate_plans (
  tenant integer not null,
  property text not null,
  code text not null,
  title text not null,
  cancellation text not null,
  version integer not null,
  primary key (tenant, property, code)
) strict, without rowid;

-- What the nights of a month cost, and their restrictions. A row per month: a quote looks at thousands of nights.
create table rate_months (
  tenant integer not null,
  property text not null,
  month text not null check (length(month) = 7),
  rate_plan text not null,
  room_type text not null,
  nights text,
  version integer not null,
  primary key (tenant, property, month, rate_plan, room_type)
) strict, without rowid;

-- What was offered. Dates as text, as in the slots of pools.
create table quotes (
  tenant integer not null,
  id blob not null check (length(id) = 16),
  property text not null,
  checkin text not null,
  checkout text not null,
  guests integer not null check (guests > 0),
  rooms integer not null check (rooms > 0),
  currency text not null,
  options text,
  created_at integer not null,
  valid_until integer not null,
  version integer not null,
  primary key (tenant, id),
  constraint nights_are_slept check (checkin < checkout)
) strict, without rowid;
