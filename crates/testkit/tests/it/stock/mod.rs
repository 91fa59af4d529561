//! Stock on every store: documents come to what the pure core says, and everything that is read of it is what its ledgers
//! say.

mod documents;
mod lists;
mod long;
mod past;
mod shop;

use surehold_testkit::on_each_store;

on_each_store! {
    documents {
        documents_of_every_kind
        a_document_is_posted_once
        carts_and_counters_compete
        a_preview_says_what_posting_does
        whatever_takes_effect_when
    }
    lists {
        catalogues_and_documents
        items_with_their_pools
    }
    long {
        a_long_document_is_posted_part_by_part
        a_long_document_is_reversed_part_by_part
        what_cannot_be_posted_is_left_out
    }
    past {
        a_long_past_is_worked_out_in_steps
        a_transfer_carries_its_cost
        the_engine_works_it_out_by_itself
        a_busy_item_is_backdated
        many_tills_are_late_at_once
        goods_go_back_and_forth
    }
}
