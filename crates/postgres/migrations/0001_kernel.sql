-- Fires when a write did not find the rows that were loaded: somebody wrote outside of the turn.
create function surehold_expect(actual bigint, expected bigint) returns void language plpgsql as $$
begin
  if actual <> expected then
    raise exception 'found % rows, expected %', actual, expected using errcode = 'SH001';
  end if;
end $$;

create table slugs (
  tenant bigint not null check (tenant = 0),
  slug text collate "C" not null,
  claimed_by bigint not null,
  version bigint not null,
  primary key (tenant, slug)
);

create table tenants (
  tenant bigint not null primary key,
  slug text collate "C" not null unique,
  lifetime_secs_default bigint not null check (lifetime_secs_default between 1 and lifetime_secs_max),
  lifetime_secs_max bigint not null,
  owner_holds_max bigint not null check (owner_holds_max > 0),
  owner_lifetime_secs_max bigint not null check (owner_lifetime_secs_max > 0),
  version bigint not null
);

create table pools (
  tenant bigint not null,
  resource text collate "C" not null check (resource <> ''),
  slot text collate "C" not null,
  total bigint not null check (total >= 0),
  overbook bigint not null check (overbook >= 0),
  held bigint not null check (held >= 0),
  booked bigint not null check (booked >= 0),
  granted bigint not null check (granted >= 0),
  oversold bigint not null check (oversold >= 0),
  closed boolean not null,
  version bigint not null,
  primary key (tenant, resource, slot),
  constraint never_oversold check (held + booked + granted <= total + overbook + oversold)
) with (fillfactor = 50);

create table holds (
  tenant bigint not null,
  id uuid not null,
  state text not null check (state = 'active' or state = 'converted' or state = 'cancelled' or state = 'expired'),
  lines json not null,
  kept_as text check (kept_as = 'book' or kept_as = 'consume'),
  converted json,
  kept json,
  owner text collate "C",
  reference text collate "C",
  metadata json,
  lifetime_secs bigint,
  placed_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  version bigint not null,
  primary key (tenant, id),
  constraint kept_when_converted check ((state = 'converted') = (kept is not null) and (kept is null) = (kept_as is null)
    and (kept is null) = (converted is null)),
  constraint ended_when_not_active check ((state = 'active') = (ended_at is null))
);

create index holds_due on holds (tenant, expires_at) where state = 'active';
create index holds_by_reference on holds (tenant, reference) where reference is not null;

create table owners (
  tenant bigint not null,
  owner text collate "C" not null,
  holds bigint not null check (holds > 0),
  lifetime_secs bigint not null check (lifetime_secs > 0),
  version bigint not null,
  primary key (tenant, owner)
);

create table replies (
  tenant bigint not null,
  operation text collate "C" not null,
  key text collate "C" not null,
  request_hash bytea not null check (length(request_hash) = 32),
  reply json not null,
  at timestamptz not null,
  version bigint not null,
  primary key (tenant, operation, key)
);

create table journal (
  tenant bigint not null,
  seq bigint not null check (seq > 0),
  batch_id uuid not null,
  at timestamptz not null,
  events_count bigint not null check (events_count >= 0),
  events bytea not null,
  primary key (tenant, seq)
);
