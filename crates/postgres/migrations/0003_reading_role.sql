-- The node writes as surehold_writer and reads as surehold_reader; neither owns anything. Both roles are there already:
-- they belong to the server and not to this database, so the program makes them first (roles.rs).

-- A reader sees one tenant, the one set for its transaction, and without one nothing at all. The setting is read in a
-- subquery, so once a statement. The writer's policy is the constant true, which planning removes.
create function surehold_protect(protected regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('create policy reading on %s for select to surehold_reader using (tenant =
    (select nullif(current_setting(''surehold.tenant'', true), '''')::bigint))', protected);
  execute format('create policy writing on %s to surehold_writer using (true) with check (true)', protected);
  execute format('grant select on %s to surehold_reader', protected);
  execute format('grant select, insert, update, delete on %s to surehold_writer', protected);
end $$;

-- A later migration that makes a table with a tenant says the same of it.
select surehold_protect('slugs');
select surehold_protect('tenants');
select surehold_protect('pools');
select surehold_protect('holds');
select surehold_protect('owners');
select surehold_protect('replies');
select surehold_protect('api_keys');
select surehold_protect('journal');

-- What happened is not rewritten; what is older than the retention may go.
revoke update on journal from surehold_writer;

grant select on schema_migrations to surehold_writer;
grant execute on function surehold_expect(bigint, bigint) to surehold_writer;

-- Usually everybody has it. Granting again what one does not own would only warn.
do $$
begin
  if not (has_schema_privilege('surehold_writer', current_schema(), 'usage')
      and has_schema_privilege('surehold_reader', current_schema(), 'usage')) then
    execute format('grant usage on schema %I to surehold_writer, surehold_reader', current_schema());
  end if;
end $$;
