-- Identity is for ever; run state lives only while something is left to do.
create table operations (
  tenant integer not null,
  type text not null,
  key text not null,
  generation integer not null check (generation > 0),
  payload_hash blob not null check (length(payload_hash) = 32),
  payload text not null,
  aggregate text,
  correlations text,
  releases text,
  outcome text check (outcome = 'SUCCEEDED' or outcome = 'DEAD_LETTER'),
  result text,
  attempts integer not null check (attempts >= 0),
  lease_token integer not null check (lease_token >= 0),
  created_at integer not null,
  finished_at integer,
  version integer not null,
  primary key (tenant, type, key),
  constraint finished_with_outcome check ((outcome is null) = (finished_at is null))
) strict, without rowid;

create table operation_runs (
  tenant integer not null,
  type text not null,
  key text not null,
  priority integer not null,
  effect integer not null check (effect = 0 or effect = 1),
  run_at integer not null,
  attempts integer not null check (attempts >= 0),
  lost integer not null check (lost >= 0),
  rerun integer not null check (rerun = 0 or rerun = 1),
  last_token integer not null check (last_token >= 0),
  worker integer,
  locked_at integer,
  lease_until integer,
  waiting_on text,
  waiting_for text,
  last_error text,
  enqueued_at integer not null,
  stuck_told integer not null check (stuck_told = 0 or stuck_told = 1),
  version integer not null,
  primary key (tenant, type, key),
  constraint whole_lease check ((worker is null) = (lease_until is null) and (worker is null) = (locked_at is null)),
  constraint only_effects_are_leased check (worker is null or effect = 1)
) strict, without rowid;

-- What is due, tenant by tenant and the urgent first; whose leases end; what takes too long.
create index operation_runs_due on operation_runs (tenant, effect, priority, run_at, type, key) where worker is null;
create index operation_runs_leased on operation_runs (lease_until) where worker is not null;
create index operation_runs_old on operation_runs (type, enqueued_at) where not stuck_told;

create table operation_effects (
  tenant integer not null,
  type text not null,
  key text not null,
  step integer not null check (step >= 0),
  generation integer not null check (generation > 0),
  state text not null
    check (state = 'INTENT' or state = 'CONFIRMED' or state = 'REJECTED' or state = 'UNKNOWN'),
  doubt text not null check (doubt = 'none' or doubt = 'unanswered' or doubt = 'error_kept'),
  sends integer not null check (sends > 0),
  idempotency_key text not null,
  request text not null,
  intent_at integer not null,
  provider_ref text,
  response text,
  lease_token integer not null,
  settled_at integer,
  version integer not null,
  primary key (tenant, type, key, step),
  constraint settled_without_doubt check (state = 'INTENT' or state = 'UNKNOWN' or doubt = 'none')
) strict, without rowid;

create table operation_attempts (
  tenant integer not null,
  type text not null,
  key text not null,
  number integer not null,
  generation integer not null,
  started_at integer not null,
  ended_at integer not null,
  worker integer,
  lease_token integer,
  outcome text not null,
  error_code text,
  error text,
  actor text,
  version integer not null,
  primary key (tenant, type, key, number)
) strict, without rowid;

create table operation_correlations (
  tenant integer not null,
  correlation_kind text not null,
  correlation_value text not null,
  type text not null,
  key text not null,
  version integer not null,
  primary key (tenant, correlation_kind, correlation_value, type, key)
) strict, without rowid;

create table operation_dead_letters (
  tenant integer not null,
  type text not null,
  key text not null,
  generation integer not null,
  dead_at integer not null,
  code text not null,
  error text not null,
  resolved_at integer,
  resolved_by text,
  resolution text,
  version integer not null,
  primary key (tenant, type, key)
) strict, without rowid;

create index operation_dead_letters_open on operation_dead_letters (tenant, dead_at, type, key) where resolved_at is null;

create table aggregate_locks (
  tenant integer not null,
  aggregate text not null,
  type text not null,
  key text not null,
  token integer not null,
  version integer not null,
  primary key (tenant, aggregate)
) strict, without rowid;

create table cases (
  tenant integer not null,
  kind text not null,
  key text not null,
  state text not null check (state = 'open' or state = 'resolved'),
  summary text not null,
  correlations text,
  reports integer not null check (reports > 0),
  opened_at integer not null,
  reported_at integer not null,
  assigned_to text,
  resolved_at integer,
  resolved_by text,
  resolution text,
  version integer not null,
  primary key (tenant, kind, key),
  constraint resolved_with_reason check ((state = 'resolved') = (resolved_at is not null)
    and (resolved_at is null) = (resolution is null))
) strict, without rowid;

create index cases_open on cases (tenant, opened_at, kind, key) where state = 'open';
create index cases_resolved on cases (tenant, opened_at, kind, key) where state = 'resolved';

create table workers (
  tenant integer not null check (tenant = 0),
  id integer not null,
  host text not null,
  started_at integer not null,
  beat_at integer not null,
  version integer not null,
  primary key (tenant, id)
) strict, without rowid;

create table epochs (
  tenant integer not null check (tenant = 0),
  number integer not null check (number > 0),
  raised_at integer not null,
  raised_by text not null,
  reason text not null,
  version integer not null,
  primary key (tenant, number)
) strict, without rowid;

-- Rows by instant, for timelines. A row is a batch, so this costs little.
create index journal_by_time on journal (tenant, at);
