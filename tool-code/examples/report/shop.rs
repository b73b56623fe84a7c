//! The tools of a shop.

use schemars::JsonSchema;
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use tool_runtime::{BuildError, Registry, tool, tools};

/// A program that finds the overdue invoices of each customer.
pub(crate) const OVERDUE: &str = r#"
const customers = await tools.list_customers();
const owed = await Promise.all(customers.map(async ({ id, name }) => {
  const orders = (await tools.list_orders({ customer: id })).filter(order => order.state === "invoiced");
  const invoices = await Promise.all(orders.map(order => tools.get_invoice({ order: order.id })));
  const late = invoices.filter(invoice => !invoice.paid && invoice.due < "2026-10-27");
  return { name, euros: late.reduce((sum, invoice) => sum + invoice.cents, 0) / 100 };
}));
const overdue = owed.filter(({ euros }) => euros > 0).sort((a, b) => b.euros - a.euros);
"#;

/// The mails that were sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox(Arc<Mutex<Vec<String>>>);

impl Outbox {
    pub(crate) fn mails(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[derive(Serialize, JsonSchema)]
struct Customer {
    id: u32,
    name: String,
    city: String,
    email: String,
}

#[derive(Serialize, JsonSchema)]
struct Order {
    id: u32,
    date: String,
    state: &'static str,
    items: Vec<Item>,
    note: String,
}

#[derive(Serialize, JsonSchema)]
struct Item {
    article: String,
    title: String,
    count: u32,
    cents: u32,
}

#[derive(Serialize, JsonSchema)]
struct Invoice {
    order: u32,
    number: String,
    cents: u32,
    paid: bool,
    /// For example 2026-09-20.
    due: String,
    address: String,
    terms: String,
}

/// Lists the customers.
#[tool(read_only, output_schema)]
fn list_customers() -> Vec<Customer> {
    let customer = |id| Customer {
        id,
        name: format!("Customer {id}"),
        city: ["Rome", "Oslo", "Bern"][id as usize % 3].to_owned(),
        email: format!("customer{id}@example.com"),
    };
    (1..=10).map(customer).collect()
}

/// Lists the orders of a customer.
#[tool(read_only, output_schema)]
fn list_orders(
    /// The id of the customer.
    customer: u32,
) -> Vec<Order> {
    let item = |id: u32, n: u32| Item {
        article: format!("A-{id}-{n}"),
        title: format!("Chair {n} of the garden collection"),
        count: n + 1,
        cents: 4_900 + id * 10,
    };
    let order = |n: u32| Order {
        id: customer * 10 + n,
        date: format!("2026-0{}-1{n}", 6 + n),
        // Customer 4 has paid in advance.
        state: if customer != 4 && (n == 1 || n == 2) { "invoiced" } else { "closed" },
        items: (0..3).map(|item_number| item(customer * 10 + n, item_number)).collect(),
        note: "Please ring twice, the bell is quiet.".to_owned(),
    };
    (0..4).map(order).collect()
}

/// Gets the invoice of an order.
#[tool(read_only, output_schema)]
fn get_invoice(
    /// The id of the order.
    order: u32,
) -> Invoice {
    Invoice {
        order,
        number: format!("2026-{order:05}"),
        cents: 5_000 + order * 37,
        paid: order % 2 == 1,
        due: format!("2026-{:02}-20", 8 + order % 4),
        address: "12 Long Street, 00100 Sometown".to_owned(),
        terms: "To be paid within 14 days.".to_owned(),
    }
}

/// Sends a mail. A person approves it.
#[tool(destructive, requires_approval)]
fn send_mail(to: &str, text: &str, #[state] outbox: &Outbox) -> &'static str {
    outbox.0.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{to}: {text}"));
    "sent"
}

pub(crate) fn registry(outbox: &Outbox) -> Result<Registry, BuildError> {
    let tools = tools![list_customers, list_orders, get_invoice, send_mail];
    Registry::builder().tools(tools).state(outbox.clone()).build()
}
