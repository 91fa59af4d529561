create table api_keys (tenant bigint not null, id bigint not null, version bigint not null, primary key (tenant, id));
