-- The total of a tracked pool is the quantity of the stock item `store/product`, and changes with its ledger only.
alter table pools add column tracked integer not null default 0 check (tracked = 0 or tracked = 1);

-- A place with goods, whose costs are in one currency.
create table stores (
  tenant integer not null,
  name text not null,
  title text not null,
  currency text not null check (length(currency) = 3),
  version integer not null,
  primary key (tenant, name)
) strict, without rowid;

-- Until when the books of all stores are closed, and what is still on its way into them.
create table stock_books (
  tenant integer not null primary key,
  closed_until integer,
  posting integer not null check (posting >= 0),
  revaluing integer not null check (revaluing >= 0),
  version integer not null
) strict, without rowid;

-- Quantities are whole numbers of base units; the scale says with how many decimals they are shown.
create table products (
  tenant integer not null,
  code text not null,
  title text not null,
  unit text not null,
  scale integer not null check (scale between 0 and 6),
  packs text,
  tracking text not null check (tracking = 'none' or tracking = 'lots' or tracking = 'serials'),
  version integer not null,
  primary key (tenant, code)
) strict, without rowid;

create table barcodes (
  tenant integer not null,
  code text not null,
  product text not null,
  pack text,
  version integer not null,
  primary key (tenant, code)
) strict, without rowid;

create index barcodes_by_product on barcodes (tenant, product, code);

-- Values are in millionths of a minor unit, here and below. They are provisional while an item is revalued.
create table stock_items (
  tenant integer not null,
  store text not null,
  place text not null check (place = 'on_hand' or place = 'in_transit'),
  product text not null,
  quantity integer not null check (quantity >= 0),
  value integer not null,
  seq integer not null check (seq > 0),
  last_effective integer not null,
  revalued_seq integer not null check (revalued_seq between 0 and seq),
  known_quantity integer not null check (known_quantity >= 0),
  known_value integer not null check (known_value >= 0),
  lots text,
  revaluing text,
  version integer not null,
  primary key (tenant, store, place, product),
  constraint nothing_costs_nothing check (revaluing is not null or (value >= 0 and (quantity > 0 or value = 0)))
) strict, without rowid;

create index stock_items_by_product on stock_items (tenant, product, store);
create index stock_items_in_transit on stock_items (tenant, store, product) where place = 'in_transit';
create index stock_items_revaluing on stock_items (tenant, store, place, product) where revaluing is not null;

-- A single piece is in one store, or out.
create table stock_serials (
  tenant integer not null,
  product text not null,
  serial text not null,
  store text,
  place text not null check (place = 'on_hand' or place = 'in_transit'),
  document blob not null check (length(document) = 16),
  version integer not null,
  primary key (tenant, product, serial)
) strict, without rowid;

create index stock_serials_by_store on stock_serials (tenant, store, product) where store is not null;

create table stock_documents (
  tenant integer not null,
  id blob not null check (length(id) = 16),
  kind text not null check (kind = 'purchase' or kind = 'sale' or kind = 'customer_return' or kind = 'supplier_return'
    or kind = 'write_off' or kind = 'opening' or kind = 'recount' or kind = 'transfer' or kind = 'receipt'
    or kind = 'transit_loss' or kind = 'reversal'),
  state text not null check (state = 'draft' or state = 'posting' or state = 'posted' or state = 'reversed'),
  store text not null,
  to_store text,
  in_transit integer not null check (in_transit = 0 or in_transit = 1),
  effective_wanted integer,
  reference text,
  note text,
  about blob check (length(about) = 16),
  extra text,
  currency text not null check (length(currency) = 3),
  parts integer not null check (parts > 0),
  lines integer not null check (lines > 0),
  skipped integer not null check (skipped between 0 and lines),
  cost integer not null check (cost >= 0),
  effective_at integer,
  posted_at integer,
  reversed_by blob check (length(reversed_by) = 16),
  followers integer not null check (followers >= 0),
  followed_at integer,
  hold blob check (length(hold) = 16),
  created_at integer not null,
  version integer not null,
  primary key (tenant, id),
  constraint posted_when_not_before check ((state = 'posted' or state = 'reversed') = (posted_at is not null)),
  constraint reversed_by_another check ((state = 'reversed') = (reversed_by is not null)),
  constraint effective_when_posted check (posted_at is null or effective_at is not null)
) strict, without rowid;

create index stock_documents_by_store on stock_documents (tenant, store, id);
create index stock_documents_by_reference on stock_documents (tenant, reference, id) where reference is not null;
-- A document is reversed by one other.
create unique index stock_documents_reversing on stock_documents (tenant, about) where kind = 'reversal';
create index stock_documents_about on stock_documents (tenant, about, id) where about is not null;

-- Up to 200 lines, and what came of them.
create table stock_document_parts (
  tenant integer not null,
  document blob not null check (length(document) = 16),
  number integer not null check (number >= 0),
  lines text,
  cost integer not null check (cost >= 0),
  quantity integer not null check (quantity >= 0),
  first_line integer not null check (first_line > 0),
  spread text,
  outcomes text,
  posted integer not null check (posted = 0 or posted = 1),
  version integer not null,
  primary key (tenant, document, number)
) strict, without rowid;

-- The ledger: one row for each line, in the order of posting, with what was there afterwards.
create table stock_moves (
  tenant integer not null,
  store text not null,
  place text not null,
  product text not null,
  seq integer not null check (seq > 0),
  document blob not null check (length(document) = 16),
  line integer not null check (line >= 0),
  kind text not null,
  basis text not null check (basis = 'given' or basis = 'average' or basis = 'source' or basis = 'undo'
    or basis = 'revaluation'),
  source integer check (source < seq),
  quantity integer not null,
  value integer not null,
  quantity_after integer not null check (quantity_after >= 0),
  value_after integer not null,
  effective_at integer not null,
  posted_at integer not null,
  lot text,
  counter_store text,
  counter_place text,
  counter_seq integer,
  version integer not null check (version = 1),
  primary key (tenant, store, place, product, seq),
  constraint revalued_without_moving check ((basis = 'revaluation') = (quantity = 0)),
  constraint costs_go_with_goods check (quantity = 0 or (quantity > 0 and value >= 0) or (quantity < 0 and value <= 0))
) strict, without rowid;

create index stock_moves_by_effect on stock_moves (tenant, store, place, product, effective_at, seq);
-- What took from a row, undid it or changed its cost.
create index stock_moves_by_source on stock_moves (tenant, store, place, product, source) where source is not null;

-- An item has many rows, and few of them are about the same one. Not knowing that, SQLite would look at all rows of an item
-- to find these. Analysing an empty table makes the table of statistics and nothing else.
analyze stores;
insert into sqlite_stat1 (tbl, idx, stat) values
  ('stock_moves', 'stock_moves', '1000000 1000000 100000 100000 1000 1'),
  ('stock_moves', 'stock_moves_by_effect', '1000000 1000000 100000 100000 1000 2 1'),
  ('stock_moves', 'stock_moves_by_source', '100000 100000 10000 10000 1000 2');
analyze sqlite_schema;

-- Stock changes by documents. Only our own connections have this function; to everybody else it does not exist.
create trigger stock_items_begin before insert on stock_items when not surehold_writes_stock() begin
  select raise(abort, 'stock_items changes by documents of stock only');
end;

create trigger stock_items_change before update on stock_items when not surehold_writes_stock() begin
  select raise(abort, 'stock_items changes by documents of stock only');
end;

create trigger stock_items_end before delete on stock_items when not surehold_writes_stock() begin
  select raise(abort, 'stock_items changes by documents of stock only');
end;

create trigger stock_moves_begin before insert on stock_moves when not surehold_writes_stock() begin
  select raise(abort, 'stock_moves changes by documents of stock only');
end;

-- Totals of pools are not watched here: that would cost every hold of any pool something. The audit compares them.
create trigger pools_tracked_end before delete on pools when old.tracked = 1 begin
  select raise(abort, 'a tracked pool stays with its item');
end;

-- Whoever it is, and by whatever way: what moved has moved.
create trigger stock_moves_stay before update on stock_moves begin
  select raise(abort, 'rows of stock_moves are never changed');
end;

create trigger stock_moves_remain before delete on stock_moves begin
  select raise(abort, 'rows of stock_moves are never changed');
end;
