-- The total of a tracked pool is the quantity of the stock item `store/product`, and changes with its ledger only.
alter table pools add column tracked boolean not null default false;

-- A place with goods, whose costs are in one currency.
create table stores (
  tenant bigint not null,
  name text collate "C" not null,
  title text not null,
  currency text not null check (length(currency) = 3),
  version bigint not null,
  primary key (tenant, name)
);

-- Until when the books of all stores are closed, and what is still on its way into them.
create table stock_books (
  tenant bigint not null primary key,
  closed_until timestamptz,
  posting bigint not null check (posting >= 0),
  revaluing bigint not null check (revaluing >= 0),
  version bigint not null
);

-- Quantities are whole numbers of base units; the scale says with how many decimals they are shown.
create table products (
  tenant bigint not null,
  code text collate "C" not null,
  title text not null,
  unit text not null,
  scale bigint not null check (scale between 0 and 6),
  packs json,
  tracking text not null check (tracking = 'none' or tracking = 'lots' or tracking = 'serials'),
  version bigint not null,
  primary key (tenant, code)
);

create table barcodes (
  tenant bigint not null,
  code text collate "C" not null,
  product text collate "C" not null,
  pack text,
  version bigint not null,
  primary key (tenant, code)
);

create index barcodes_by_product on barcodes (tenant, product, code) where product is not null;

-- Values are in millionths of a minor unit, here and below. They are provisional while an item is revalued.
create table stock_items (
  tenant bigint not null,
  store text collate "C" not null,
  place text collate "C" not null check (place = 'on_hand' or place = 'in_transit'),
  product text collate "C" not null,
  quantity bigint not null check (quantity >= 0),
  value bigint not null,
  seq bigint not null check (seq > 0),
  last_effective timestamptz not null,
  revalued_seq bigint not null check (revalued_seq between 0 and seq),
  known_quantity bigint not null check (known_quantity >= 0),
  known_value bigint not null check (known_value >= 0),
  lots json,
  revaluing json,
  version bigint not null,
  primary key (tenant, store, place, product),
  constraint nothing_costs_nothing check (revaluing is not null or (value >= 0 and (quantity > 0 or value = 0)))
);

create index stock_items_by_product on stock_items (tenant, product, store, place) where product <> '';
create index stock_items_in_transit on stock_items (tenant, store, product) where place = 'in_transit';
create index stock_items_revaluing on stock_items (tenant, store, place, product) where revaluing is not null;

-- A single piece is in one store, or out.
create table stock_serials (
  tenant bigint not null,
  product text collate "C" not null,
  serial text collate "C" not null,
  store text collate "C",
  place text not null check (place = 'on_hand' or place = 'in_transit'),
  document uuid not null,
  version bigint not null,
  primary key (tenant, product, serial)
);

create index stock_serials_by_store on stock_serials (tenant, store, product) where store is not null;

create table stock_documents (
  tenant bigint not null,
  id uuid not null,
  kind text not null check (kind = 'purchase' or kind = 'sale' or kind = 'customer_return' or kind = 'supplier_return'
    or kind = 'write_off' or kind = 'opening' or kind = 'recount' or kind = 'transfer' or kind = 'receipt'
    or kind = 'transit_loss' or kind = 'reversal'),
  state text not null check (state = 'draft' or state = 'posting' or state = 'posted' or state = 'reversed'),
  store text collate "C" not null,
  to_store text collate "C",
  in_transit boolean not null,
  effective_wanted timestamptz,
  reference text collate "C",
  note text,
  about uuid,
  extra json,
  currency text not null check (length(currency) = 3),
  parts bigint not null check (parts > 0),
  lines bigint not null check (lines > 0),
  skipped bigint not null check (skipped between 0 and lines),
  cost bigint not null check (cost >= 0),
  effective_at timestamptz,
  posted_at timestamptz,
  reversed_by uuid,
  followers bigint not null check (followers >= 0),
  followed_at timestamptz,
  hold uuid,
  created_at timestamptz not null,
  version bigint not null,
  primary key (tenant, id),
  constraint posted_when_not_before check ((state = 'posted' or state = 'reversed') = (posted_at is not null)),
  constraint reversed_by_another check ((state = 'reversed') = (reversed_by is not null)),
  constraint effective_when_posted check (posted_at is null or effective_at is not null)
);

create index stock_documents_by_store on stock_documents (tenant, store, id) where store is not null;
create index stock_documents_by_reference on stock_documents (tenant, reference, id) where reference is not null;
-- A document is reversed by one other.
create unique index stock_documents_reversing on stock_documents (tenant, about) where kind = 'reversal';
create index stock_documents_about on stock_documents (tenant, about, id) where about is not null;

-- Up to 200 lines, and what came of them.
create table stock_document_parts (
  tenant bigint not null,
  document uuid not null,
  number bigint not null check (number >= 0),
  lines json,
  cost bigint not null check (cost >= 0),
  quantity bigint not null check (quantity >= 0),
  first_line bigint not null check (first_line > 0),
  spread json,
  outcomes json,
  posted boolean not null,
  version bigint not null,
  primary key (tenant, document, number)
);

-- The ledger: one row for each line, in the order of posting, with what was there afterwards.
create table stock_moves (
  tenant bigint not null,
  store text collate "C" not null,
  place text collate "C" not null,
  product text collate "C" not null,
  seq bigint not null check (seq > 0),
  document uuid not null,
  line bigint not null check (line >= 0),
  kind text not null,
  basis text not null check (basis = 'given' or basis = 'average' or basis = 'source' or basis = 'undo'
    or basis = 'revaluation'),
  source bigint check (source < seq),
  quantity bigint not null,
  value bigint not null,
  quantity_after bigint not null check (quantity_after >= 0),
  value_after bigint not null,
  effective_at timestamptz not null,
  posted_at timestamptz not null,
  lot text,
  counter_store text collate "C",
  counter_place text,
  counter_seq bigint,
  version bigint not null check (version = 1),
  primary key (tenant, store, place, product, seq),
  constraint revalued_without_moving check ((basis = 'revaluation') = (quantity = 0)),
  constraint costs_go_with_goods check (quantity = 0 or (quantity > 0 and value >= 0) or (quantity < 0 and value <= 0))
);

create index stock_moves_by_effect on stock_moves (tenant, store, place, product, effective_at, seq)
  where effective_at is not null;
-- What took from a row, undid it or changed its cost.
create index stock_moves_by_source on stock_moves (tenant, store, place, product, source) where source is not null;

-- Stock changes by documents. The engine says on its connections that it is the one who writes; whoever does not is
-- refused, whatever it may do otherwise. A statement is asked once, and a row of pools only where stock tracks it.
create function surehold_refuse_stranger() returns trigger language plpgsql as $$
begin
  raise exception '% changes by documents of stock only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create function surehold_only_engine(guarded regclass) returns void language plpgsql as $$
begin
  execute format('create trigger only_engine before insert or update or delete or truncate on %s for each statement
    when (current_setting(''surehold.writer'', true) is distinct from ''engine'')
    execute function surehold_refuse_stranger()', guarded);
end $$;

select surehold_only_engine('stock_books');
select surehold_only_engine('stock_items');
select surehold_only_engine('stock_serials');
select surehold_only_engine('stock_documents');
select surehold_only_engine('stock_document_parts');
select surehold_only_engine('stock_moves');

-- After the row, because before it Postgres would lock each row once more.
create trigger only_engine_tracks after insert on pools for each row
  when (new.tracked and current_setting('surehold.writer', true) is distinct from 'engine')
  execute function surehold_refuse_stranger();
create trigger only_engine_changes after update on pools for each row
  when ((old.tracked or new.tracked) and (old.total <> new.total or old.tracked <> new.tracked)
    and current_setting('surehold.writer', true) is distinct from 'engine')
  execute function surehold_refuse_stranger();
create trigger only_engine_removes after delete on pools for each row
  when (old.tracked and current_setting('surehold.writer', true) is distinct from 'engine')
  execute function surehold_refuse_stranger();

-- Whoever it is, and by whatever way: what moved has moved.
create function surehold_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger stock_moves_stay before update or delete or truncate on stock_moves
  for each statement execute function surehold_refuse_change();

select surehold_protect('stores');
select surehold_protect('stock_books');
select surehold_protect('products');
select surehold_protect('barcodes');
select surehold_protect('stock_items');
select surehold_protect('stock_serials');
select surehold_protect('stock_documents');
select surehold_protect('stock_document_parts');
select surehold_protect('stock_moves');
