-- What was put right by hand, the latest of each thing. The number counts, so that nothing is put right twice.
create table repairs (
  tenant integer not null,
  target text not null,
  number integer not null check (number > 0),
  at integer not null,
  actor text not null,
  reason text not null,
  version integer not null,
  primary key (tenant, target)
) strict, without rowid;
