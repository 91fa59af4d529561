-- Who has a locker. Its hold has booked it.
create table locker_rentals (
  tenant integer not null,
  renter text not null,
  hold blob not null check (length(hold) = 16),
  station text not null,
  rented_at integer not null,
  version integer not null,
  primary key (tenant, renter)
) strict, without rowid;
