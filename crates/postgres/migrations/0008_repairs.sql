-- What was put right by hand, the latest of each thing. The number counts, so that nothing is put right twice.
create table repairs (
  tenant bigint not null,
  target text collate "C" not null,
  number bigint not null check (number > 0),
  at timestamptz not null,
  actor text not null,
  reason text not null,
  version bigint not null,
  primary key (tenant, target)
);

select surehold_protect('repairs');
