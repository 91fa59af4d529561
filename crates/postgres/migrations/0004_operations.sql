-- Identity is for ever; run state lives only while something is left to do.
-- Every operation is updated once, when it ends: with half a page to spare its new row stays on the page, and no index
-- has to be told.
create table operations (
  tenant bigint not null,
  type text collate "C" not null,
  key text collate "C" not null,
  generation bigint not null check (generation > 0),
  payload_hash bytea not null check (length(payload_hash) = 32),
  payload json not null,
  aggregate text collate "C",
  correlations json,
  releases json,
  outcome text check (outcome = 'SUCCEEDED' or outcome = 'DEAD_LETTER'),
  result json,
  attempts bigint not null check (attempts >= 0),
  lease_token bigint not null check (lease_token >= 0),
  created_at timestamptz not null,
  finished_at timestamptz,
  version bigint not null,
  primary key (tenant, type, key),
  constraint finished_with_outcome check ((outcome is null) = (finished_at is null))
) with (fillfactor = 45);

create table operation_runs (
  tenant bigint not null,
  type text collate "C" not null,
  key text collate "C" not null,
  priority bigint not null,
  effect boolean not null,
  run_at timestamptz not null,
  attempts bigint not null check (attempts >= 0),
  lost bigint not null check (lost >= 0),
  rerun boolean not null,
  last_token bigint not null check (last_token >= 0),
  worker bigint,
  locked_at timestamptz,
  lease_until timestamptz,
  waiting_on text,
  waiting_for text,
  last_error text,
  enqueued_at timestamptz not null,
  stuck_told boolean not null,
  version bigint not null,
  primary key (tenant, type, key),
  constraint whole_lease check ((worker is null) = (lease_until is null) and (worker is null) = (locked_at is null)),
  constraint only_effects_are_leased check (worker is null or effect)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- What is due, tenant by tenant and the urgent first; whose leases end; what takes too long.
create index operation_runs_due on operation_runs (tenant, effect, priority, run_at, type, key) where worker is null;
create index operation_runs_leased on operation_runs (lease_until) where worker is not null;
create index operation_runs_old on operation_runs (type, enqueued_at) where not stuck_told;

create table operation_effects (
  tenant bigint not null,
  type text collate "C" not null,
  key text collate "C" not null,
  step bigint not null check (step >= 0),
  generation bigint not null check (generation > 0),
  state text not null
    check (state = 'INTENT' or state = 'CONFIRMED' or state = 'REJECTED' or state = 'UNKNOWN'),
  doubt text not null check (doubt = 'none' or doubt = 'unanswered' or doubt = 'error_kept'),
  sends bigint not null check (sends > 0),
  idempotency_key text collate "C" not null,
  request json not null,
  intent_at timestamptz not null,
  provider_ref text,
  response json,
  lease_token bigint not null,
  settled_at timestamptz,
  version bigint not null,
  primary key (tenant, type, key, step),
  constraint settled_without_doubt check (state = 'INTENT' or state = 'UNKNOWN' or doubt = 'none')
);

create table operation_attempts (
  tenant bigint not null,
  type text collate "C" not null,
  key text collate "C" not null,
  number bigint not null,
  generation bigint not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  worker bigint,
  lease_token bigint,
  outcome text not null,
  error_code text,
  error text,
  actor text,
  version bigint not null,
  primary key (tenant, type, key, number)
);

create table operation_correlations (
  tenant bigint not null,
  correlation_kind text collate "C" not null,
  correlation_value text collate "C" not null,
  type text collate "C" not null,
  key text collate "C" not null,
  version bigint not null,
  primary key (tenant, correlation_kind, correlation_value, type, key)
);

create table operation_dead_letters (
  tenant bigint not null,
  type text collate "C" not null,
  key text collate "C" not null,
  generation bigint not null,
  dead_at timestamptz not null,
  code text not null,
  error text not null,
  resolved_at timestamptz,
  resolved_by text,
  resolution text,
  version bigint not null,
  primary key (tenant, type, key)
);

create index operation_dead_letters_open on operation_dead_letters (tenant, dead_at, type, key) where resolved_at is null;

create table aggregate_locks (
  tenant bigint not null,
  aggregate text collate "C" not null,
  type text collate "C" not null,
  key text collate "C" not null,
  token bigint not null,
  version bigint not null,
  primary key (tenant, aggregate)
);

create table cases (
  tenant bigint not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  state text not null check (state = 'open' or state = 'resolved'),
  summary text not null,
  correlations json,
  reports bigint not null check (reports > 0),
  opened_at timestamptz not null,
  reported_at timestamptz not null,
  assigned_to text,
  resolved_at timestamptz,
  resolved_by text,
  resolution text,
  version bigint not null,
  primary key (tenant, kind, key),
  constraint resolved_with_reason check ((state = 'resolved') = (resolved_at is not null)
    and (resolved_at is null) = (resolution is null))
);

create index cases_open on cases (tenant, opened_at, kind, key) where state = 'open';
create index cases_resolved on cases (tenant, opened_at, kind, key) where state = 'resolved';

create table workers (
  tenant bigint not null check (tenant = 0),
  id bigint not null,
  host text collate "C" not null,
  started_at timestamptz not null,
  beat_at timestamptz not null,
  version bigint not null,
  primary key (tenant, id)
) with (fillfactor = 50);

create table epochs (
  tenant bigint not null check (tenant = 0),
  number bigint not null check (number > 0),
  raised_at timestamptz not null,
  raised_by text not null,
  reason text not null,
  version bigint not null,
  primary key (tenant, number)
);

-- Rows by instant, for timelines. A row is a batch, so this costs little.
create index journal_by_time on journal (tenant, at);

select surehold_protect('operations');
select surehold_protect('operation_runs');
select surehold_protect('operation_effects');
select surehold_protect('operation_attempts');
select surehold_protect('operation_correlations');
select surehold_protect('operation_dead_letters');
select surehold_protect('aggregate_locks');
select surehold_protect('cases');
select surehold_protect('workers');
select surehold_protect('epochs');
