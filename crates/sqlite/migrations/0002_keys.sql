-- API keys. The secret itself is not here: only its hash.
create table api_keys (
  tenant integer not null,
  id integer not null,
  name text not null,
  scopes integer not null check (scopes between 1 and 8),
  secret_hash blob not null check (length(secret_hash) = 32),
  requests_per_s integer check (requests_per_s > 0),
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  replaced_by integer,
  version integer not null,
  primary key (tenant, id),
  constraint admin_is_the_installation check ((scopes = 8) = (tenant = 0))
) strict, without rowid;

-- A tenant and its test twin share a slug; their ids differ in sign. A constraint cannot be dropped here, so the
-- table is written anew.
create table tenants_with_twins (
  tenant integer not null primary key,
  slug text not null,
  lifetime_secs_default integer not null check (lifetime_secs_default between 1 and lifetime_secs_max),
  lifetime_secs_max integer not null,
  owner_holds_max integer not null check (owner_holds_max > 0),
  owner_lifetime_secs_max integer not null check (owner_lifetime_secs_max > 0),
  version integer not null
) strict;
insert into tenants_with_twins select * from tenants;
drop table tenants;
alter table tenants_with_twins rename to tenants;
create unique index tenants_by_slug on tenants (slug, (tenant < 0));

-- What is free over a range of nights, across resources.
create index pools_by_slot on pools (tenant, slot, resource);
