//! Tools for orders and their lines.

use super::ShopError;
use super::notes::{Note, notes_of};
use super::page::{Page, PagedQuery};
use crate::database::Database;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, named_params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_runtime::{CallContext, tool};

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Open,
    Shipped,
    Cancelled,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::Shipped => "shipped",
            Status::Cancelled => "cancelled",
        }
    }
}

#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Customer {
    #[schemars(length(min = 1, max = 100))]
    name: String,
    #[schemars(length(min = 3, max = 100))]
    email: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Address {
    #[schemars(length(min = 1, max = 100))]
    street: String,
    #[schemars(length(min = 1, max = 20))]
    postcode: String,
    #[schemars(length(min = 1, max = 100))]
    city: String,
}

/// A product and its quantity.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewLine {
    /// The id of the product.
    product: i64,
    #[schemars(range(min = 1, max = 100))]
    quantity: u32,
}

#[derive(Serialize)]
struct Line {
    product: i64,
    name: String,
    quantity: u32,
    price_eur: f64,
}

#[derive(Serialize)]
pub(crate) struct Order {
    id: i64,
    status: String,
    placed_on: String,
    customer: Customer,
    address: Address,
    lines: Vec<Line>,
    notes: Vec<Note>,
}

/// An order in a list.
#[derive(Serialize)]
pub(crate) struct OrderSummary {
    id: i64,
    status: String,
    placed_on: String,
    customer: String,
    total_eur: f64,
}

/// List the orders, newest first.
#[tool(title = "List orders", blocking, read_only)]
pub(crate) fn list_orders(
    status: Option<Status>,
    #[arg(default = 1, schema(minimum = 1))] page: u32,
    #[arg(default = 5, schema(minimum = 1, maximum = 20))] page_size: u32,
    #[state] database: &Database,
) -> Result<Page<OrderSummary>, ShopError> {
    let query = PagedQuery {
        columns: "id, status, placed_on, customer,
            (SELECT sum(quantity * price_cents) / 100.0 FROM order_lines WHERE order_id = orders.id)",
        source: "FROM orders WHERE (:status IS NULL OR status = :status)",
        order: "id DESC",
        params: named_params! { ":status": status.map(Status::name) },
    };
    let page = query.read(&database.lock(), (page, page_size), |row| {
        let (id, status, placed_on) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(OrderSummary { id, status, placed_on, customer: row.get(3)?, total_eur: row.get(4)? })
    });
    Ok(page?)
}

/// Get an order with its customer, lines and notes.
#[tool(title = "Get an order", blocking, read_only)]
pub(crate) fn get_order(order: i64, #[state] database: &Database) -> Result<Order, ShopError> {
    read_order(&database.lock(), order)
}

/// Place an order for a customer. All lines are ordered, or none.
// It is idempotent since the key of the call is unique: a call that runs again after a crash finds its order.
#[tool(title = "Place an order", blocking, idempotent)]
pub(crate) fn place_order(
    customer: &Customer,
    address: &Address,
    #[arg(schema(minItems = 1, maxItems = 20))] lines: Vec<NewLine>,
    #[state] database: &Database,
    #[context] call: &CallContext,
) -> Result<Order, ShopError> {
    let key = call.key().map(|key| key.to_string());
    let mut connection = database.lock();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let placed = transaction
        .query_row("SELECT id FROM orders WHERE call_key = ?1", [&key], |row| row.get(0))
        .optional()?;
    if let Some(order) = placed {
        return read_order(&transaction, order);
    }
    transaction.execute(
        "INSERT INTO orders (call_key, status, placed_on, customer, email, street, postcode, city)
        VALUES (?1, 'open', date('now'), ?2, ?3, ?4, ?5, ?6)",
        (&key, &customer.name, &customer.email, &address.street, &address.postcode, &address.city),
    )?;
    let order = transaction.last_insert_rowid();
    for NewLine { product, quantity } in lines {
        let taken = transaction.execute(
            "UPDATE products SET stock = stock - ?2 WHERE id = ?1 AND stock >= ?2",
            (product, quantity),
        )?;
        if taken == 0 {
            // The transaction is rolled back.
            let stock = transaction
                .query_row("SELECT stock FROM products WHERE id = ?1", [product], |row| row.get(0));
            return Err(match stock.optional()? {
                Some(stock) => ShopError::OutOfStock { product, stock },
                None => ShopError::UnknownProduct(product),
            });
        }
        transaction.execute(
            "INSERT INTO order_lines (order_id, product_id, quantity, price_cents)
            SELECT ?1, id, ?3, price_cents FROM products WHERE id = ?2
            ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity",
            (order, product, quantity),
        )?;
    }
    let placed = read_order(&transaction, order)?;
    transaction.commit()?;
    Ok(placed)
}

/// Cancel an open order. Its products go back into stock. This cannot be undone.
#[tool(title = "Cancel an order", blocking, destructive, requires_approval)]
pub(crate) fn cancel_order(order: i64, #[state] database: &Database) -> Result<Order, ShopError> {
    let mut connection = database.lock();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let cancelled = transaction
        .execute("UPDATE orders SET status = 'cancelled' WHERE id = ?1 AND status = 'open'", [order])?;
    let found = read_order(&transaction, order)?;
    if cancelled == 0 {
        return Err(ShopError::NotOpen { order, status: found.status });
    }
    transaction.execute(
        "UPDATE products SET stock = stock + quantity
        FROM order_lines WHERE product_id = products.id AND order_id = ?1",
        [order],
    )?;
    transaction.commit()?;
    Ok(found)
}

fn read_order(connection: &Connection, id: i64) -> Result<Order, ShopError> {
    let order = connection.query_row(
        "SELECT status, placed_on, customer, email, street, postcode, city FROM orders WHERE id = ?1",
        [id],
        |row| {
            Ok(Order {
                id,
                status: row.get(0)?,
                placed_on: row.get(1)?,
                customer: Customer { name: row.get(2)?, email: row.get(3)? },
                address: Address { street: row.get(4)?, postcode: row.get(5)?, city: row.get(6)? },
                lines: Vec::new(),
                notes: Vec::new(),
            })
        },
    );
    let mut order = order.optional()?.ok_or(ShopError::UnknownOrder(id))?;
    let mut lines = connection.prepare(
        "SELECT product_id, name, quantity, order_lines.price_cents / 100.0
        FROM order_lines JOIN products ON products.id = product_id WHERE order_id = ?1 ORDER BY product_id",
    )?;
    let lines = lines.query_map([id], |row| {
        Ok(Line { product: row.get(0)?, name: row.get(1)?, quantity: row.get(2)?, price_eur: row.get(3)? })
    })?;
    order.lines = lines.collect::<rusqlite::Result<_>>()?;
    order.notes = notes_of(connection, id)?;
    Ok(order)
}
