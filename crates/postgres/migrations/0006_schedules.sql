create table schedules (
  tenant bigint not null,
  name text collate "C" not null,
  cron text not null,
  zone text not null,
  type text collate "C" not null,
  payload json not null,
  correlations json,
  enabled boolean not null,
  next_at timestamptz,
  last_fired_at timestamptz,
  created_at timestamptz not null,
  version bigint not null,
  primary key (tenant, name),
  constraint only_enabled_ones_fire check (enabled or next_at is null)
);

-- A tenant's that are due.
create index schedules_due on schedules (tenant, next_at) where next_at is not null;
-- Whose are due, and when the next one is. Has another condition than the index above, so that neither is ever taken
-- for the other.
create index schedules_next on schedules (next_at, tenant) where enabled;

select surehold_protect('schedules');
