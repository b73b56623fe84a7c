//! Tools for products.

use super::ShopError;
use super::page::{Page, PagedQuery};
use crate::database::Database;
use rusqlite::{OptionalExtension as _, Row, named_params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_runtime::tool;

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Category {
    Keyboards,
    Mice,
    Monitors,
    Headphones,
    Cables,
}

impl Category {
    fn name(self) -> &'static str {
        match self {
            Category::Keyboards => "keyboards",
            Category::Mice => "mice",
            Category::Monitors => "monitors",
            Category::Headphones => "headphones",
            Category::Cables => "cables",
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Product {
    id: i64,
    name: String,
    category: String,
    price_eur: f64,
    stock: u32,
    description: String,
}

impl Product {
    const COLUMNS: &str = "id, name, category, price_cents / 100.0, stock, description";

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Product {
            id: row.get(0)?,
            name: row.get(1)?,
            category: row.get(2)?,
            price_eur: row.get(3)?,
            stock: row.get(4)?,
            description: row.get(5)?,
        })
    }
}

/// Search the products of the shop, cheapest first.
#[tool(title = "Search products", blocking, read_only)]
pub(crate) fn search_products(
    /// A part of the name or of the description.
    text: Option<&str>,
    category: Option<Category>,
    /// The highest price, in euros.
    #[arg(schema(minimum = 0))]
    max_price: Option<f64>,
    #[arg(default = 1, schema(minimum = 1))] page: u32,
    #[arg(default = 5, schema(minimum = 1, maximum = 20))] page_size: u32,
    #[state] database: &Database,
) -> Result<Page<Product>, ShopError> {
    let query = PagedQuery {
        columns: Product::COLUMNS,
        source: "FROM products
            WHERE (:text IS NULL OR instr(lower(name || ' ' || description), lower(:text)) > 0)
            AND (:category IS NULL OR category = :category)
            AND (:max_price IS NULL OR price_cents <= :max_price * 100)",
        order: "price_cents, id",
        params: named_params! { ":text": text, ":category": category.map(Category::name), ":max_price": max_price },
    };
    Ok(query.read(&database.lock(), (page, page_size), Product::read)?)
}

/// Get a product by its id.
#[tool(title = "Get a product", blocking, read_only)]
pub(crate) fn get_product(product: i64, #[state] database: &Database) -> Result<Product, ShopError> {
    let sql = format!("SELECT {} FROM products WHERE id = ?1", Product::COLUMNS);
    let found = database.lock().query_row(&sql, [product], Product::read).optional()?;
    found.ok_or(ShopError::UnknownProduct(product))
}
