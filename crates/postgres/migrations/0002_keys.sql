-- API keys. The secret itself is not here: only its hash.
create table api_keys (
  tenant bigint not null,
  id bigint not null,
  name text collate "C" not null,
  scopes bigint not null check (scopes between 1 and 8),
  secret_hash bytea not null check (length(secret_hash) = 32),
  requests_per_s bigint check (requests_per_s > 0),
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  replaced_by bigint,
  version bigint not null,
  primary key (tenant, id),
  constraint admin_is_the_installation check ((scopes = 8) = (tenant = 0))
);

-- A tenant and its test twin share a slug; their ids differ in sign.
alter table tenants drop constraint tenants_slug_key;
create unique index tenants_by_slug on tenants (slug, (tenant < 0));

-- What is free over a range of nights, across resources.
create index pools_by_slot on pools (tenant, slot, resource);
