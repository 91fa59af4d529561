-- The textbook transaction of `surehold-lab bench holds --against textbook`, for pgbench. Run the bench once first: it
-- makes the schema. Then: pgbench -n -M prepared -c 64 -j 2 -T 10 -D room_types=1 -f crates/lab/pgbench/textbook.sql URL
\set a random(1, 4611686018427387904)
\set room random(0, :room_types - 1)
begin;
insert into textbook.idempotency_keys values (1, 'create_hold', lpad(to_hex(:a::bigint), 32, '0')::uuid, now());
insert into textbook.holds values (1, lpad(to_hex(:a::bigint), 32, '0')::uuid, 'active', 0, 3, now() + interval '15 minutes');
insert into textbook.hold_nights values (1, lpad(to_hex(:a::bigint), 32, '0')::uuid, :room, 0, 1);
update textbook.ari_days set inv_held = inv_held + 1 where property_id = 1 and room_type_id = :room and night = 0 and not stop_sell and inv_total >= inv_booked + inv_held + 1;
insert into textbook.hold_nights values (1, lpad(to_hex(:a::bigint), 32, '0')::uuid, :room, 1, 1);
update textbook.ari_days set inv_held = inv_held + 1 where property_id = 1 and room_type_id = :room and night = 1 and not stop_sell and inv_total >= inv_booked + inv_held + 1;
insert into textbook.hold_nights values (1, lpad(to_hex(:a::bigint), 32, '0')::uuid, :room, 2, 1);
update textbook.ari_days set inv_held = inv_held + 1 where property_id = 1 and room_type_id = :room and night = 2 and not stop_sell and inv_total >= inv_booked + inv_held + 1;
commit;
