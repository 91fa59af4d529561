-- Who has a locker. Its hold has booked it.
create table locker_rentals (
  tenant bigint not null,
  renter text collate "C" not null,
  hold uuid not null,
  station text collate "C" not null,
  rented_at timestamptz not null,
  version bigint not null,
  primary key (tenant, renter)
);

select surehold_protect('locker_rentals');
