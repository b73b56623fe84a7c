//! The tools of the shop, grouped by subject.

mod error;
mod notes;
mod orders;
mod page;
mod products;
mod report;
#[cfg(test)]
mod tests;

pub(crate) use error::ShopError;

use crate::database::Database;
use crate::users::User;
use std::time::Duration;
use tool_runtime::{BuildError, Registry, tools};

/// All tools. Each run binds the user who asks.
pub(crate) fn registry(database: Database) -> Result<Registry, BuildError> {
    Registry::builder()
        .tools(tools![products::search_products, products::get_product])
        .tools(tools![orders::list_orders, orders::get_order, orders::place_order, orders::cancel_order])
        .tools(tools![notes::add_note, report::sales_report])
        .state(database)
        .state_per_run::<User>()
        .timeout(Duration::from_secs(30))
        // An order is placed before the list that the model wants to see after it.
        .ordered_effects(true)
        .build()
}
