-- load slugs
select slug, claimed_by, version from slugs where tenant = ?1 and slug = ?2
-- insert slugs
insert into slugs (tenant, slug, claimed_by, version) values (?, ?, ?, ?) on conflict do nothing
-- update slugs
update slugs set version = ?4 where tenant = ?1 and slug = ?2 and version = ?5
-- delete slugs
delete from slugs where tenant = ?1 and slug = ?2 and version = ?3
-- load tenants
select slug, lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max, version from tenants where tenant = ?1
-- insert tenants
insert into tenants (tenant, slug, lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max, version) values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update tenants
update tenants set lifetime_secs_default = ?3, lifetime_secs_max = ?4, owner_holds_max = ?5, owner_lifetime_secs_max = ?6, version = ?7 where tenant = ?1 and version = ?8
-- delete tenants
delete from tenants where tenant = ?1 and version = ?2
-- load pools
select resource, slot, total, overbook, held, booked, granted, oversold, closed, tracked, version from pools where tenant = ?1 and resource = ?2 and slot = ?3
-- insert pools
insert into pools (tenant, resource, slot, total, overbook, held, booked, granted, oversold, closed, tracked, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update pools
update pools set total = ?4, overbook = ?5, held = ?6, booked = ?7, granted = ?8, oversold = ?9, closed = ?10, tracked = ?11, version = ?12 where tenant = ?1 and resource = ?2 and slot = ?3 and version = ?13 and held = ?14 and booked = ?15
-- delete pools
delete from pools where tenant = ?1 and resource = ?2 and slot = ?3 and version = ?4
-- load holds
select id, state, lines, kept_as, converted, kept, owner, reference, metadata, lifetime_secs, placed_at, expires_at, ended_at, version from holds where tenant = ?1 and id = ?2
-- insert holds
insert into holds (tenant, id, state, lines, kept_as, converted, kept, owner, reference, metadata, lifetime_secs, placed_at, expires_at, ended_at, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update holds
update holds set state = ?3, kept_as = ?5, converted = ?6, kept = ?7, expires_at = ?13, ended_at = ?14, version = ?15 where tenant = ?1 and id = ?2 and version = ?16
-- delete holds
delete from holds where tenant = ?1 and id = ?2 and version = ?3
-- load due holds
select id, state, lines, kept_as, converted, kept, owner, reference, metadata, lifetime_secs, placed_at, expires_at, ended_at, version from holds where tenant = ?1 and state = 'active' and expires_at <= ?2 order by expires_at limit 1000
-- load owners
select owner, holds, lifetime_secs, version from owners where tenant = ?1 and owner = ?2
-- insert owners
insert into owners (tenant, owner, holds, lifetime_secs, version) values (?, ?, ?, ?, ?) on conflict do nothing
-- update owners
update owners set holds = ?3, lifetime_secs = ?4, version = ?5 where tenant = ?1 and owner = ?2 and version = ?6
-- delete owners
delete from owners where tenant = ?1 and owner = ?2 and version = ?3
-- load replies
select operation, key, request_hash, reply, at, version from replies where tenant = ?1 and operation = ?2 and key = ?3
-- insert replies
insert into replies (tenant, operation, key, request_hash, reply, at, version) values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update replies
update replies set version = ?7 where tenant = ?1 and operation = ?2 and key = ?3 and version = ?8
-- delete replies
delete from replies where tenant = ?1 and operation = ?2 and key = ?3 and version = ?4
-- load api_keys
select id, name, scopes, secret_hash, requests_per_s, created_at, expires_at, revoked_at, replaced_by, version from api_keys where tenant = ?1 and id = ?2
-- insert api_keys
insert into api_keys (tenant, id, name, scopes, secret_hash, requests_per_s, created_at, expires_at, revoked_at, replaced_by, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update api_keys
update api_keys set expires_at = ?8, revoked_at = ?9, replaced_by = ?10, version = ?11 where tenant = ?1 and id = ?2 and version = ?12
-- delete api_keys
delete from api_keys where tenant = ?1 and id = ?2 and version = ?3
-- load operations
select type, key, generation, payload_hash, payload, aggregate, correlations, releases, outcome, result, attempts, lease_token, created_at, finished_at, version from operations where tenant = ?1 and type = ?2 and key = ?3
-- insert operations
insert into operations (tenant, type, key, generation, payload_hash, payload, aggregate, correlations, releases, outcome, result, attempts, lease_token, created_at, finished_at, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update operations
update operations set generation = ?4, payload_hash = ?5, payload = ?6, releases = ?9, outcome = ?10, result = ?11, attempts = ?12, lease_token = ?13, finished_at = ?15, version = ?16 where tenant = ?1 and type = ?2 and key = ?3 and version = ?17
-- delete operations
delete from operations where tenant = ?1 and type = ?2 and key = ?3 and version = ?4
-- load operation_runs
select type, key, priority, effect, run_at, attempts, lost, rerun, last_token, worker, locked_at, lease_until, waiting_on, waiting_for, last_error, enqueued_at, stuck_told, version from operation_runs where tenant = ?1 and type = ?2 and key = ?3
-- insert operation_runs
insert into operation_runs (tenant, type, key, priority, effect, run_at, attempts, lost, rerun, last_token, worker, locked_at, lease_until, waiting_on, waiting_for, last_error, enqueued_at, stuck_told, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update operation_runs
update operation_runs set priority = ?4, effect = ?5, run_at = ?6, attempts = ?7, lost = ?8, rerun = ?9, last_token = ?10, worker = ?11, locked_at = ?12, lease_until = ?13, waiting_on = ?14, waiting_for = ?15, last_error = ?16, enqueued_at = ?17, stuck_told = ?18, version = ?19 where tenant = ?1 and type = ?2 and key = ?3 and version = ?20
-- delete operation_runs
delete from operation_runs where tenant = ?1 and type = ?2 and key = ?3 and version = ?4
-- load operation_effects
select type, key, step, generation, state, doubt, sends, idempotency_key, request, intent_at, provider_ref, response, lease_token, settled_at, version from operation_effects where tenant = ?1 and type = ?2 and key = ?3 and step = ?4
-- insert operation_effects
insert into operation_effects (tenant, type, key, step, generation, state, doubt, sends, idempotency_key, request, intent_at, provider_ref, response, lease_token, settled_at, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update operation_effects
update operation_effects set generation = ?5, state = ?6, doubt = ?7, sends = ?8, idempotency_key = ?9, request = ?10, intent_at = ?11, provider_ref = ?12, response = ?13, lease_token = ?14, settled_at = ?15, version = ?16 where tenant = ?1 and type = ?2 and key = ?3 and step = ?4 and version = ?17
-- delete operation_effects
delete from operation_effects where tenant = ?1 and type = ?2 and key = ?3 and step = ?4 and version = ?5
-- load operation_attempts
select type, key, number, generation, started_at, ended_at, worker, lease_token, outcome, error_code, error, actor, version from operation_attempts where tenant = ?1 and type = ?2 and key = ?3 and number = ?4
-- insert operation_attempts
insert into operation_attempts (tenant, type, key, number, generation, started_at, ended_at, worker, lease_token, outcome, error_code, error, actor, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update operation_attempts
update operation_attempts set version = ?14 where tenant = ?1 and type = ?2 and key = ?3 and number = ?4 and version = ?15
-- delete operation_attempts
delete from operation_attempts where tenant = ?1 and type = ?2 and key = ?3 and number = ?4 and version = ?5
-- load operation_correlations
select correlation_kind, correlation_value, type, key, version from operation_correlations where tenant = ?1 and correlation_kind = ?2 and correlation_value = ?3 and type = ?4 and key = ?5
-- insert operation_correlations
insert into operation_correlations (tenant, correlation_kind, correlation_value, type, key, version) values (?, ?, ?, ?, ?, ?) on conflict do nothing
-- update operation_correlations
update operation_correlations set version = ?6 where tenant = ?1 and correlation_kind = ?2 and correlation_value = ?3 and type = ?4 and key = ?5 and version = ?7
-- delete operation_correlations
delete from operation_correlations where tenant = ?1 and correlation_kind = ?2 and correlation_value = ?3 and type = ?4 and key = ?5 and version = ?6
-- load operation_dead_letters
select type, key, generation, dead_at, code, error, resolved_at, resolved_by, resolution, version from operation_dead_letters where tenant = ?1 and type = ?2 and key = ?3
-- insert operation_dead_letters
insert into operation_dead_letters (tenant, type, key, generation, dead_at, code, error, resolved_at, resolved_by, resolution, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update operation_dead_letters
update operation_dead_letters set generation = ?4, dead_at = ?5, code = ?6, error = ?7, resolved_at = ?8, resolved_by = ?9, resolution = ?10, version = ?11 where tenant = ?1 and type = ?2 and key = ?3 and version = ?12
-- delete operation_dead_letters
delete from operation_dead_letters where tenant = ?1 and type = ?2 and key = ?3 and version = ?4
-- load aggregate_locks
select aggregate, type, key, token, version from aggregate_locks where tenant = ?1 and aggregate = ?2
-- insert aggregate_locks
insert into aggregate_locks (tenant, aggregate, type, key, token, version) values (?, ?, ?, ?, ?, ?) on conflict do nothing
-- update aggregate_locks
update aggregate_locks set type = ?3, key = ?4, token = ?5, version = ?6 where tenant = ?1 and aggregate = ?2 and version = ?7
-- delete aggregate_locks
delete from aggregate_locks where tenant = ?1 and aggregate = ?2 and version = ?3
-- load cases
select kind, key, state, summary, correlations, reports, opened_at, reported_at, assigned_to, resolved_at, resolved_by, resolution, version from cases where tenant = ?1 and kind = ?2 and key = ?3
-- insert cases
insert into cases (tenant, kind, key, state, summary, correlations, reports, opened_at, reported_at, assigned_to, resolved_at, resolved_by, resolution, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update cases
update cases set state = ?4, summary = ?5, correlations = ?6, reports = ?7, opened_at = ?8, reported_at = ?9, assigned_to = ?10, resolved_at = ?11, resolved_by = ?12, resolution = ?13, version = ?14 where tenant = ?1 and kind = ?2 and key = ?3 and version = ?15
-- delete cases
delete from cases where tenant = ?1 and kind = ?2 and key = ?3 and version = ?4
-- load workers
select id, host, started_at, beat_at, version from workers where tenant = ?1 and id = ?2
-- insert workers
insert into workers (tenant, id, host, started_at, beat_at, version) values (?, ?, ?, ?, ?, ?) on conflict do nothing
-- update workers
update workers set host = ?3, started_at = ?4, beat_at = ?5, version = ?6 where tenant = ?1 and id = ?2 and version = ?7
-- delete workers
delete from workers where tenant = ?1 and id = ?2 and version = ?3
-- load epochs
select number, raised_at, raised_by, reason, version from epochs where tenant = ?1 and number = ?2
-- insert epochs
insert into epochs (tenant, number, raised_at, raised_by, reason, version) values (?, ?, ?, ?, ?, ?) on conflict do nothing
-- update epochs
update epochs set version = ?6 where tenant = ?1 and number = ?2 and version = ?7
-- delete epochs
delete from epochs where tenant = ?1 and number = ?2 and version = ?3
-- load inbox_events
select source, external_id, content_type, body, body_hash, received_at, type, key, version from inbox_events where tenant = ?1 and source = ?2 and external_id = ?3
-- insert inbox_events
insert into inbox_events (tenant, source, external_id, content_type, body, body_hash, received_at, type, key, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update inbox_events
update inbox_events set version = ?10 where tenant = ?1 and source = ?2 and external_id = ?3 and version = ?11
-- delete inbox_events
delete from inbox_events where tenant = ?1 and source = ?2 and external_id = ?3 and version = ?4
-- load inbox_secrets
select name, secret, previous_secret, previous_until, created_at, rotated_at, version from inbox_secrets where tenant = ?1 and name = ?2
-- insert inbox_secrets
insert into inbox_secrets (tenant, name, secret, previous_secret, previous_until, created_at, rotated_at, version) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update inbox_secrets
update inbox_secrets set secret = ?3, previous_secret = ?4, previous_until = ?5, created_at = ?6, rotated_at = ?7, version = ?8 where tenant = ?1 and name = ?2 and version = ?9
-- delete inbox_secrets
delete from inbox_secrets where tenant = ?1 and name = ?2 and version = ?3
-- load schedules
select name, cron, zone, type, payload, correlations, enabled, next_at, last_fired_at, created_at, version from schedules where tenant = ?1 and name = ?2
-- insert schedules
insert into schedules (tenant, name, cron, zone, type, payload, correlations, enabled, next_at, last_fired_at, created_at, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update schedules
update schedules set cron = ?3, zone = ?4, type = ?5, payload = ?6, correlations = ?7, enabled = ?8, next_at = ?9, last_fired_at = ?10, created_at = ?11, version = ?12 where tenant = ?1 and name = ?2 and version = ?13
-- delete schedules
delete from schedules where tenant = ?1 and name = ?2 and version = ?3
-- load due schedules
select name, cron, zone, type, payload, correlations, enabled, next_at, last_fired_at, created_at, version from schedules where tenant = ?1 and next_at is not null and next_at <= ?2 order by next_at limit 200
-- load webhook_endpoints
select id, url, events, secret, secret_previous, secret_previous_until, state, disabled_reason, disabled_at, cursor_seq, cursor_index, created_at, version from webhook_endpoints where tenant = ?1 and id = ?2
-- insert webhook_endpoints
insert into webhook_endpoints (tenant, id, url, events, secret, secret_previous, secret_previous_until, state, disabled_reason, disabled_at, cursor_seq, cursor_index, created_at, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update webhook_endpoints
update webhook_endpoints set url = ?3, events = ?4, secret = ?5, secret_previous = ?6, secret_previous_until = ?7, state = ?8, disabled_reason = ?9, disabled_at = ?10, cursor_seq = ?11, cursor_index = ?12, created_at = ?13, version = ?14 where tenant = ?1 and id = ?2 and version = ?15
-- delete webhook_endpoints
delete from webhook_endpoints where tenant = ?1 and id = ?2 and version = ?3
-- load webhook_tails
select endpoint, ordering, delivery, version from webhook_tails where tenant = ?1 and endpoint = ?2 and ordering = ?3
-- insert webhook_tails
insert into webhook_tails (tenant, endpoint, ordering, delivery, version) values (?, ?, ?, ?, ?) on conflict do nothing
-- update webhook_tails
update webhook_tails set delivery = ?4, version = ?5 where tenant = ?1 and endpoint = ?2 and ordering = ?3 and version = ?6
-- delete webhook_tails
delete from webhook_tails where tenant = ?1 and endpoint = ?2 and ordering = ?3 and version = ?4
-- load repairs
select target, number, at, actor, reason, version from repairs where tenant = ?1 and target = ?2
-- insert repairs
insert into repairs (tenant, target, number, at, actor, reason, version) values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update repairs
update repairs set number = ?3, at = ?4, actor = ?5, reason = ?6, version = ?7 where tenant = ?1 and target = ?2 and version = ?8
-- delete repairs
delete from repairs where tenant = ?1 and target = ?2 and version = ?3
-- load properties
select name, title, time_zone, currency, check_in, terms, payment_account, room_types, rate_plans, version from properties where tenant = ?1 and name = ?2
-- insert properties
insert into properties (tenant, name, title, time_zone, currency, check_in, terms, payment_account, room_types, rate_plans, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update properties
update properties set title = ?3, time_zone = ?4, check_in = ?6, terms = ?7, payment_account = ?8, room_types = ?9, rate_plans = ?10, version = ?11 where tenant = ?1 and name = ?2 and version = ?12
-- delete properties
delete from properties where tenant = ?1 and name = ?2 and version = ?3
-- load room_types
select property, code, title, guests_max, version from room_types where tenant = ?1 and property = ?2 and code = ?3
-- insert room_types
insert into room_types (tenant, property, code, title, guests_max, version) values (?, ?, ?, ?, ?, ?) on conflict do nothing
-- update room_types
update room_types set title = ?4, guests_max = ?5, version = ?6 where tenant = ?1 and property = ?2 and code = ?3 and version = ?7
-- delete room_types
delete from room_types where tenant = ?1 and property = ?2 and code = ?3 and version = ?4
-- load rate_plans
select property, code, title, cancellation, version from rate_plans where tenant = ?1 and property = ?2 and code = ?3
-- insert rate_plans
insert into rate_plans (tenant, property, code, title, cancellation, version) values (?, ?, ?, ?, ?, ?) on conflict do nothing
-- update rate_plans
update rate_plans set title = ?4, cancellation = ?5, version = ?6 where tenant = ?1 and property = ?2 and code = ?3 and version = ?7
-- delete rate_plans
delete from rate_plans where tenant = ?1 and property = ?2 and code = ?3 and version = ?4
-- load rate_months
select property, month, rate_plan, room_type, nights, version from rate_months where tenant = ?1 and property = ?2 and month = ?3 and rate_plan = ?4 and room_type = ?5
-- insert rate_months
insert into rate_months (tenant, property, month, rate_plan, room_type, nights, version) values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update rate_months
update rate_months set nights = ?6, version = ?7 where tenant = ?1 and property = ?2 and month = ?3 and rate_plan = ?4 and room_type = ?5 and version = ?8
-- delete rate_months
delete from rate_months where tenant = ?1 and property = ?2 and month = ?3 and rate_plan = ?4 and room_type = ?5 and version = ?6
-- load quotes
select id, property, checkin, checkout, guests, rooms, currency, options, created_at, valid_until, version from quotes where tenant = ?1 and id = ?2
-- insert quotes
insert into quotes (tenant, id, property, checkin, checkout, guests, rooms, currency, options, created_at, valid_until, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update quotes
update quotes set valid_until = ?11, version = ?12 where tenant = ?1 and id = ?2 and version = ?13
-- delete quotes
delete from quotes where tenant = ?1 and id = ?2 and version = ?3
-- load stays
select hold, property, quote, conversation, checkin, checkout, rooms, total, currency, checkout_session, awaiting_payment, created_at, updated_at, version from stays where tenant = ?1 and hold = ?2
-- insert stays
insert into stays (tenant, hold, property, quote, conversation, checkin, checkout, rooms, total, currency, checkout_session, awaiting_payment, created_at, updated_at, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update stays
update stays set checkout_session = ?11, awaiting_payment = ?12, updated_at = ?14, version = ?15 where tenant = ?1 and hold = ?2 and version = ?16
-- delete stays
delete from stays where tenant = ?1 and hold = ?2 and version = ?3
-- load guests
select hold, name, email, phone, erased_at, version from guests where tenant = ?1 and hold = ?2
-- insert guests
insert into guests (tenant, hold, name, email, phone, erased_at, version) values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update guests
update guests set name = ?3, email = ?4, phone = ?5, erased_at = ?6, version = ?7 where tenant = ?1 and hold = ?2 and version = ?8
-- delete guests
delete from guests where tenant = ?1 and hold = ?2 and version = ?3
-- load reservations
select hold, booked_by, property, state, checkin, checkout, rooms, total, paid, refunded, penalty, waived_by, currency, source, payment, created_at, updated_at, ended_at, version from reservations where tenant = ?1 and hold = ?2
-- insert reservations
insert into reservations (tenant, hold, booked_by, property, state, checkin, checkout, rooms, total, paid, refunded, penalty, waived_by, currency, source, payment, created_at, updated_at, ended_at, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update reservations
update reservations set state = ?5, checkin = ?6, checkout = ?7, rooms = ?8, total = ?9, paid = ?10, refunded = ?11, penalty = ?12, waived_by = ?13, updated_at = ?18, ended_at = ?19, version = ?20 where tenant = ?1 and hold = ?2 and version = ?21
-- delete reservations
delete from reservations where tenant = ?1 and hold = ?2 and version = ?3
-- load payments
select provider, object, hold, account, amount, currency, state, payment_intent, charge, received, refunded, refunded_elsewhere, refund_asked, refund_confirmed, refund_failed, refunds, dispute, resolution, created_at, updated_at, version from payments where tenant = ?1 and provider = ?2 and object = ?3
-- insert payments
insert into payments (tenant, provider, object, hold, account, amount, currency, state, payment_intent, charge, received, refunded, refunded_elsewhere, refund_asked, refund_confirmed, refund_failed, refunds, dispute, resolution, created_at, updated_at, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update payments
update payments set state = ?8, payment_intent = ?9, charge = ?10, received = ?11, refunded = ?12, refunded_elsewhere = ?13, refund_asked = ?14, refund_confirmed = ?15, refund_failed = ?16, refunds = ?17, dispute = ?18, resolution = ?19, updated_at = ?21, version = ?22 where tenant = ?1 and provider = ?2 and object = ?3 and version = ?23
-- delete payments
delete from payments where tenant = ?1 and provider = ?2 and object = ?3 and version = ?4
-- load payment_aliases
select provider, object, payment, version from payment_aliases where tenant = ?1 and provider = ?2 and object = ?3
-- insert payment_aliases
insert into payment_aliases (tenant, provider, object, payment, version) values (?, ?, ?, ?, ?) on conflict do nothing
-- update payment_aliases
update payment_aliases set version = ?5 where tenant = ?1 and provider = ?2 and object = ?3 and version = ?6
-- delete payment_aliases
delete from payment_aliases where tenant = ?1 and provider = ?2 and object = ?3 and version = ?4
-- load stores
select name, title, currency, version from stores where tenant = ?1 and name = ?2
-- insert stores
insert into stores (tenant, name, title, currency, version) values (?, ?, ?, ?, ?) on conflict do nothing
-- update stores
update stores set title = ?3, version = ?5 where tenant = ?1 and name = ?2 and version = ?6
-- delete stores
delete from stores where tenant = ?1 and name = ?2 and version = ?3
-- load stock_books
select closed_until, posting, revaluing, version from stock_books where tenant = ?1
-- insert stock_books
insert into stock_books (tenant, closed_until, posting, revaluing, version) values (?, ?, ?, ?, ?) on conflict do nothing
-- update stock_books
update stock_books set closed_until = ?2, posting = ?3, revaluing = ?4, version = ?5 where tenant = ?1 and version = ?6
-- delete stock_books
delete from stock_books where tenant = ?1 and version = ?2
-- load products
select code, title, unit, scale, packs, tracking, version from products where tenant = ?1 and code = ?2
-- insert products
insert into products (tenant, code, title, unit, scale, packs, tracking, version) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update products
update products set title = ?3, unit = ?4, packs = ?6, version = ?8 where tenant = ?1 and code = ?2 and version = ?9
-- delete products
delete from products where tenant = ?1 and code = ?2 and version = ?3
-- load barcodes
select code, product, pack, version from barcodes where tenant = ?1 and code = ?2
-- insert barcodes
insert into barcodes (tenant, code, product, pack, version) values (?, ?, ?, ?, ?) on conflict do nothing
-- update barcodes
update barcodes set product = ?3, pack = ?4, version = ?5 where tenant = ?1 and code = ?2 and version = ?6
-- delete barcodes
delete from barcodes where tenant = ?1 and code = ?2 and version = ?3
-- load stock_items
select store, place, product, quantity, value, seq, last_effective, revalued_seq, known_quantity, known_value, lots, revaluing, version from stock_items where tenant = ?1 and store = ?2 and place = ?3 and product = ?4
-- insert stock_items
insert into stock_items (tenant, store, place, product, quantity, value, seq, last_effective, revalued_seq, known_quantity, known_value, lots, revaluing, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update stock_items
update stock_items set quantity = ?5, value = ?6, seq = ?7, last_effective = ?8, revalued_seq = ?9, known_quantity = ?10, known_value = ?11, lots = ?12, revaluing = ?13, version = ?14 where tenant = ?1 and store = ?2 and place = ?3 and product = ?4 and version = ?15
-- delete stock_items
delete from stock_items where tenant = ?1 and store = ?2 and place = ?3 and product = ?4 and version = ?5
-- load stock_serials
select product, serial, store, place, document, version from stock_serials where tenant = ?1 and product = ?2 and serial = ?3
-- insert stock_serials
insert into stock_serials (tenant, product, serial, store, place, document, version) values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update stock_serials
update stock_serials set store = ?4, place = ?5, document = ?6, version = ?7 where tenant = ?1 and product = ?2 and serial = ?3 and version = ?8
-- delete stock_serials
delete from stock_serials where tenant = ?1 and product = ?2 and serial = ?3 and version = ?4
-- load stock_documents
select id, kind, state, store, to_store, in_transit, effective_wanted, reference, note, about, extra, currency, parts, lines, skipped, cost, effective_at, posted_at, reversed_by, followers, followed_at, hold, created_at, version from stock_documents where tenant = ?1 and id = ?2
-- insert stock_documents
insert into stock_documents (tenant, id, kind, state, store, to_store, in_transit, effective_wanted, reference, note, about, extra, currency, parts, lines, skipped, cost, effective_at, posted_at, reversed_by, followers, followed_at, hold, created_at, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update stock_documents
update stock_documents set kind = ?3, state = ?4, store = ?5, to_store = ?6, in_transit = ?7, effective_wanted = ?8, reference = ?9, note = ?10, about = ?11, extra = ?12, currency = ?13, parts = ?14, lines = ?15, skipped = ?16, cost = ?17, effective_at = ?18, posted_at = ?19, reversed_by = ?20, followers = ?21, followed_at = ?22, hold = ?23, version = ?25 where tenant = ?1 and id = ?2 and version = ?26
-- delete stock_documents
delete from stock_documents where tenant = ?1 and id = ?2 and version = ?3
-- load stock_document_parts
select document, number, lines, cost, quantity, first_line, spread, outcomes, posted, version from stock_document_parts where tenant = ?1 and document = ?2 and number = ?3
-- insert stock_document_parts
insert into stock_document_parts (tenant, document, number, lines, cost, quantity, first_line, spread, outcomes, posted, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update stock_document_parts
update stock_document_parts set lines = ?4, cost = ?5, quantity = ?6, first_line = ?7, spread = ?8, outcomes = ?9, posted = ?10, version = ?11 where tenant = ?1 and document = ?2 and number = ?3 and version = ?12
-- delete stock_document_parts
delete from stock_document_parts where tenant = ?1 and document = ?2 and number = ?3 and version = ?4
-- load stock_moves
select store, place, product, seq, document, line, kind, basis, source, quantity, value, quantity_after, value_after, effective_at, posted_at, lot, counter_store, counter_place, counter_seq, version from stock_moves where tenant = ?1 and store = ?2 and place = ?3 and product = ?4 and seq = ?5
-- insert stock_moves
insert into stock_moves (tenant, store, place, product, seq, document, line, kind, basis, source, quantity, value, quantity_after, value_after, effective_at, posted_at, lot, counter_store, counter_place, counter_seq, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
-- update stock_moves
update stock_moves set version = ?21 where tenant = ?1 and store = ?2 and place = ?3 and product = ?4 and seq = ?5 and version = ?22
-- delete stock_moves
delete from stock_moves where tenant = ?1 and store = ?2 and place = ?3 and product = ?4 and seq = ?5 and version = ?6
-- journal head
select seq, batch_id, at from journal where tenant = ?1 order by seq desc limit 1
-- journal insert
insert into journal (tenant, seq, batch_id, at, events_count, events) values (?1, ?2, ?3, ?4, ?5, ?6)
-- journal batch
select batch_id from journal where tenant = ?1 and seq = ?2
-- journal trim
delete from journal where tenant = ?1 and seq < ?2
