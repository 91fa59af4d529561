create table schedules (
  tenant integer not null,
  name text not null,
  cron text not null,
  zone text not null,
  type text not null,
  payload text not null,
  correlations text,
  enabled integer not null check (enabled = 0 or enabled = 1),
  next_at integer,
  last_fired_at integer,
  created_at integer not null,
  version integer not null,
  primary key (tenant, name),
  constraint only_enabled_ones_fire check (enabled = 1 or next_at is null)
) strict, without rowid;

-- A tenant's that are due.
create index schedules_due on schedules (tenant, next_at) where next_at is not null;
-- Whose are due, and when the next one is. Has another condition than the index above, so that neither is ever taken
-- for the other.
create index schedules_next on schedules (next_at, tenant) where enabled;
