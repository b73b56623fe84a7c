//! Errors of tools. The model receives their texts, so they name the next step.

use crate::database::DatabaseError;
use std::error::Error;
use std::fmt;
use tool_runtime::ToolError;

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

impl Error for ShopError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Its text is that of the error of the database, so the source is the source of that.
            ShopError::Database(error) => error.source(),
            _ => None,
        }
    }
}

impl ToolError for ShopError {
    /// The model receives no details of the machine; they go to the log.
    fn for_model(&self) -> String {
        if let ShopError::Database(error) = self {
            error.log();
        }
        self.to_string()
    }
}

impl From<rusqlite::Error> for ShopError {
    fn from(error: rusqlite::Error) -> Self {
        ShopError::Database(error.into())
    }
}
