-- Where a tenant wants to be told what happens. Secrets are kept as they are: signing needs them.
create table webhook_endpoints (
  tenant integer not null,
  id text not null,
  url text not null,
  events text,
  secret blob not null check (length(secret) between 24 and 64),
  secret_previous blob check (length(secret_previous) between 24 and 64),
  secret_previous_until integer,
  state text not null check (state = 'enabled' or state = 'disabled'),
  disabled_reason text,
  disabled_at integer,
  cursor_seq integer not null check (cursor_seq >= 0),
  cursor_index integer not null check (cursor_index >= 0),
  created_at integer not null,
  version integer not null,
  primary key (tenant, id),
  constraint previous_secret_ends check ((secret_previous is null) = (secret_previous_until is null)),
  constraint disabled_with_reason check ((state = 'disabled') = (disabled_at is not null)
    and (disabled_at is null) = (disabled_reason is null))
) strict, without rowid;

-- The last delivery of a chain: the next one about the same thing waits for it.
create table webhook_tails (
  tenant integer not null,
  endpoint text not null,
  ordering text not null,
  delivery text not null,
  version integer not null,
  primary key (tenant, endpoint, ordering)
) strict, without rowid;
