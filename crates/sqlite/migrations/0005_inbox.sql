-- One more scope, 16: tasks. A constraint cannot be dropped here, so the table is written anew.
create table api_keys_with_tasks (
  tenant integer not null,
  id integer not null,
  name text not null,
  scopes integer not null check (scopes between 1 and 23 and (scopes = 8 or scopes & 8 = 0)),
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
insert into api_keys_with_tasks select * from api_keys;
drop table api_keys;
alter table api_keys_with_tasks rename to api_keys;

-- What the outside told us, as it came; once for each id that its source gave it. With row ids, because bodies are
-- long: looking up an id must not walk over them.
create table inbox_events (
  tenant integer not null,
  source text not null,
  external_id text not null,
  content_type text,
  body blob not null check (length(body) <= 262144),
  body_hash blob not null check (length(body_hash) = 32),
  received_at integer not null,
  type text not null,
  key text not null,
  version integer not null,
  primary key (tenant, source, external_id)
) strict;

-- Secrets that sign what arrives. Verifying needs them as they are.
create table inbox_secrets (
  tenant integer not null,
  name text not null,
  secret blob not null check (length(secret) between 24 and 64),
  previous_secret blob check (length(previous_secret) between 24 and 64),
  previous_until integer,
  created_at integer not null,
  rotated_at integer not null,
  version integer not null,
  primary key (tenant, name),
  constraint previous_until_then check ((previous_secret is null) = (previous_until is null))
) strict, without rowid;
