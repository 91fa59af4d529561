-- Where a tenant wants to be told what happens. Secrets are kept as they are: signing needs them.
create table webhook_endpoints (
  tenant bigint not null,
  id text collate "C" not null,
  url text not null,
  events json,
  secret bytea not null check (length(secret) between 24 and 64),
  secret_previous bytea check (length(secret_previous) between 24 and 64),
  secret_previous_until timestamptz,
  state text not null check (state = 'enabled' or state = 'disabled'),
  disabled_reason text,
  disabled_at timestamptz,
  cursor_seq bigint not null check (cursor_seq >= 0),
  cursor_index bigint not null check (cursor_index >= 0),
  created_at timestamptz not null,
  version bigint not null,
  primary key (tenant, id),
  constraint previous_secret_ends check ((secret_previous is null) = (secret_previous_until is null)),
  constraint disabled_with_reason check ((state = 'disabled') = (disabled_at is not null)
    and (disabled_at is null) = (disabled_reason is null))
);

-- The last delivery of a chain: the next one about the same thing waits for it.
create table webhook_tails (
  tenant bigint not null,
  endpoint text collate "C" not null,
  ordering text collate "C" not null,
  delivery text collate "C" not null,
  version bigint not null,
  primary key (tenant, endpoint, ordering)
);

select surehold_protect('webhook_endpoints');
select surehold_protect('webhook_tails');
