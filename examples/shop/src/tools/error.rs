//! Errors of tools. The model receives their texts, so each contains the next step.

use crate::database::DatabaseError;
use std::fmt;

#[derive(Debug)]
pub(crate) enum ShopError {
    UnknownProduct(i64),
    UnknownOrder(i64),
    OutOfStock { product: i64, stock: u32 },
    NotOpen { order: i64, status: String },
    Stopped,
    Database(DatabaseError),
}

impl fmt::Display for ShopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShopError::UnknownProduct(id) => {
                write!(f, "there is no product {id}; search_products lists the products")
            }
            ShopError::UnknownOrder(id) => write!(f, "there is no order {id}; list_orders lists the orders"),
            ShopError::OutOfStock { product, stock } => {
                write!(f, "only {stock} of product {product} are in stock; nothing was ordered")
            }
            ShopError::NotOpen { order, status } => {
                write!(f, "order {order} is {status}; only an open order can be cancelled")
            }
            ShopError::Stopped => f.write_str("the report was stopped, since nobody waits for it"),
            ShopError::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ShopError {}

impl From<rusqlite::Error> for ShopError {
    fn from(error: rusqlite::Error) -> Self {
        ShopError::Database(error.into())
    }
}
