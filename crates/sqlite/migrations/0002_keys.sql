create table api_keys (tenant integer not null, id integer not null, version integer not null, primary key (tenant, id)) strict, without rowid;
