-- A condition that is always true: whoever wants nights of all resources shows it, and whoever knows the resource does not,
-- so that Postgres never walks through all nights to find those of one room type.
drop index pools_by_slot;
create index pools_by_slot on pools (tenant, slot, resource) where resource <> '';

-- A place with one time zone and one currency. The counts keep what a quote reads bounded.
create table properties (
  tenant bigint not null,
  name text collate "C" not null,
  title text not null,
  time_zone text not null,
  currency text not null check (length(currency) = 3),
  check_in text not null,
  terms json not null,
  payment_account text,
  room_types bigint not null check (room_types >= 0),
  rate_plans bigint not null check (rate_plans >= 0),
  version bigint not null,
  primary key (tenant, name)
);

-- Rooms that are sold as equals. How many there are on a night is said by the pool `property/code`.
create table room_types (
  tenant bigint not null,
  property text collate "C" not null,
  code text collate "C" not null,
  title text not null,
  guests_max bigint not null check (guests_max > 0),
  version bigint not null,
  primary key (tenant, property, code)
);

create table rate_plans (
  tenant bigint not null,
  property text collate "C" not null,
  code text collate "C" not null,
  title text not null,
  cancellation json not null,
  version bigint not null,
  primary key (tenant, property, code)
);

-- What the nights of a month cost, and their restrictions. A row per month: a quote looks at thousands of nights.
create table rate_months (
  tenant bigint not null,
  property text collate "C" not null,
  month text collate "C" not null check (length(month) = 7),
  rate_plan text collate "C" not null,
  room_type text collate "C" not null,
  nights json,
  version bigint not null,
  primary key (tenant, property, month, rate_plan, room_type)
);

-- What was offered. Dates as text, as in the slots of pools.
create table quotes (
  tenant bigint not null,
  id uuid not null,
  property text collate "C" not null,
  checkin text collate "C" not null,
  checkout text collate "C" not null,
  guests bigint not null check (guests > 0),
  rooms bigint not null check (rooms > 0),
  currency text not null,
  options json,
  created_at timestamptz not null,
  valid_until timestamptz not null,
  version bigint not null,
  primary key (tenant, id),
  constraint nights_are_slept check (checkin < checkout)
);

select surehold_protect('properties');
select surehold_protect('room_types');
select surehold_protect('rate_plans');
select surehold_protect('rate_months');
select surehold_protect('quotes');
