-- What the outside told us, as it came; once for each id that its source gave it.
create table inbox_events (
  tenant bigint not null,
  source text collate "C" not null,
  external_id text collate "C" not null,
  content_type text,
  body bytea not null check (length(body) <= 262144),
  body_hash bytea not null check (length(body_hash) = 32),
  received_at timestamptz not null,
  type text collate "C" not null,
  key text collate "C" not null,
  version bigint not null,
  primary key (tenant, source, external_id)
);

-- Secrets that sign what arrives. Verifying needs them as they are.
create table inbox_secrets (
  tenant bigint not null,
  name text collate "C" not null,
  secret bytea not null check (length(secret) between 24 and 64),
  previous_secret bytea check (length(previous_secret) between 24 and 64),
  previous_until timestamptz,
  created_at timestamptz not null,
  rotated_at timestamptz not null,
  version bigint not null,
  primary key (tenant, name),
  constraint previous_until_then check ((previous_secret is null) = (previous_until is null))
);

-- One more scope, 16: tasks.
alter table api_keys drop constraint api_keys_scopes_check;
alter table api_keys add constraint api_keys_scopes_check
  check (scopes between 1 and 23 and (scopes = 8 or scopes & 8 = 0));

select surehold_protect('inbox_events');
select surehold_protect('inbox_secrets');
