-- Instants are integers: microseconds since 1970 in UTC. Ids are 16-byte blobs.
-- Checks spell out alternatives instead of using IN: SQLite would build a temporary tree for the list at every insert.

create table slugs (
  tenant integer not null check (tenant = 0),
  slug text not null,
  claimed_by integer not null,
  version integer not null,
  primary key (tenant, slug)
) strict, without rowid;

create table tenants (
  tenant integer not null primary key,
  slug text not null unique,
  lifetime_secs_default integer not null check (lifetime_secs_default between 1 and lifetime_secs_max),
  lifetime_secs_max integer not null,
  owner_holds_max integer not null check (owner_holds_max > 0),
  owner_lifetime_secs_max integer not null check (owner_lifetime_secs_max > 0),
  version integer not null
) strict;

create table pools (
  tenant integer not null,
  resource text not null check (resource <> ''),
  slot text not null,
  total integer not null check (total >= 0),
  overbook integer not null check (overbook >= 0),
  held integer not null check (held >= 0),
  booked integer not null check (booked >= 0),
  granted integer not null check (granted >= 0),
  oversold integer not null check (oversold >= 0),
  closed integer not null check (closed = 0 or closed = 1),
  version integer not null,
  primary key (tenant, resource, slot),
  constraint never_oversold check (held + booked + granted <= total + overbook + oversold)
) strict, without rowid;

create table holds (
  tenant integer not null,
  id blob not null check (length(id) = 16),
  state text not null check (state = 'active' or state = 'converted' or state = 'cancelled' or state = 'expired'),
  lines text not null,
  kept_as text check (kept_as = 'book' or kept_as = 'consume'),
  converted text,
  kept text,
  owner text,
  reference text,
  metadata text,
  lifetime_secs integer,
  placed_at integer not null,
  expires_at integer not null,
  ended_at integer,
  version integer not null,
  primary key (tenant, id),
  constraint kept_when_converted check ((state = 'converted') = (kept is not null) and (kept is null) = (kept_as is null)
    and (kept is null) = (converted is null)),
  constraint ended_when_not_active check ((state = 'active') = (ended_at is null))
) strict, without rowid;

create index holds_due on holds (tenant, expires_at) where state = 'active';
create index holds_by_reference on holds (tenant, reference) where reference is not null;

create table owners (
  tenant integer not null,
  owner text not null,
  holds integer not null check (holds > 0),
  lifetime_secs integer not null check (lifetime_secs > 0),
  version integer not null,
  primary key (tenant, owner)
) strict, without rowid;

create table replies (
  tenant integer not null,
  operation text not null,
  key text not null,
  request_hash blob not null check (length(request_hash) = 32),
  reply text not null,
  at integer not null,
  version integer not null,
  primary key (tenant, operation, key)
) strict, without rowid;

create table journal (
  tenant integer not null,
  seq integer not null check (seq > 0),
  batch_id blob not null check (length(batch_id) = 16),
  at integer not null,
  events_count integer not null check (events_count >= 0),
  events blob not null,
  primary key (tenant, seq)
) strict, without rowid;
