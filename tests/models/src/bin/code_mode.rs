//! Runs programs for `code_mode.py`, which call the tools of a shop. Reads one command per line from standard input, and writes
//! its answer as one line to standard output:
//!
//! - `{"definitions": true}`: the definitions of the tools that the model sees, in the form of Chat Completions.
//! - `{"call": {"name": .., "arguments": ".."}}`: the message after a call, whether it is an error, the effects of all calls since
//!   the last reset, and the number of calls that the program has made.
//! - `{"reset": true}`: forgets the effects.

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{self, Write as _};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use tool_runtime::dispatch::ReadyCall;
use tool_runtime::{BuildError, Registry, ToolCall, tool, tools};
use tool_runtime_code::CodeTool;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Definitions(IgnoredAny),
    Call { name: String, arguments: String },
    Reset(IgnoredAny),
}

/// The state of the shop.
#[derive(Clone, Default)]
struct Shop(Arc<Mutex<ShopState>>);

#[derive(Default)]
struct ShopState {
    effects: Vec<Value>,
    /// The calls that programs have made.
    calls: usize,
}

impl Shop {
    fn with<T>(&self, change: impl FnOnce(&mut ShopState) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add_effect(&self, effect: Value) {
        self.with(|state| state.effects.push(effect));
    }
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct Customer {
    id: u32,
    name: &'static str,
    city: &'static str,
    country: &'static str,
    email: &'static str,
}

const fn customer(
    id: u32,
    name: &'static str,
    city: &'static str,
    country: &'static str,
    email: &'static str,
) -> Customer {
    Customer { id, name, city, country, email }
}

const CUSTOMERS: [Customer; 6] = [
    customer(1, "Acme", "Berlin", "Germany", "office@acme.example"),
    customer(2, "Borealis", "Oslo", "Norway", "mail@borealis.example"),
    customer(3, "Cobalt", "Hamburg", "Germany", "hello@cobalt.example"),
    customer(4, "Dolce", "Rome", "Italy", "info@dolce.example"),
    customer(5, "Elbe", "Hamburg", "Germany", "team@elbe.example"),
    customer(6, "Fjord", "Bergen", "Norway", "post@fjord.example"),
];

#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Open,
    Delivered,
    Cancelled,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct Order {
    id: u32,
    /// In euros.
    total: u32,
    status: Status,
}

/// The number of each order, its total and its status. The first digit is the number of the customer.
const ORDERS: [(u32, u32, Status); 11] = [
    (101, 250, Status::Delivered),
    (102, 400, Status::Open),
    (103, 90, Status::Open),
    (201, 1200, Status::Delivered),
    (301, 75, Status::Cancelled),
    (302, 310, Status::Open),
    (401, 620, Status::Delivered),
    (402, 700, Status::Delivered),
    (501, 45, Status::Open),
    (601, 180, Status::Delivered),
    (602, 220, Status::Cancelled),
];

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct Invoice {
    order: u32,
    /// In euros.
    amount: u32,
    paid: bool,
}

/// The orders whose invoice is not paid. A cancelled order has no invoice.
const UNPAID: [u32; 5] = [101, 103, 302, 402, 601];

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct Product {
    sku: &'static str,
    name: &'static str,
    /// In euros.
    price: u32,
    /// The number of pieces in stock.
    stock: u32,
}

const PRODUCTS: [Product; 6] = [
    Product { sku: "P1", name: "desk lamp", price: 35, stock: 12 },
    Product { sku: "P2", name: "office chair", price: 180, stock: 3 },
    Product { sku: "P3", name: "monitor", price: 240, stock: 8 },
    Product { sku: "P4", name: "keyboard", price: 60, stock: 0 },
    Product { sku: "P5", name: "whiteboard", price: 95, stock: 4 },
    Product { sku: "P6", name: "bookshelf", price: 120, stock: 5 },
];

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct Employee {
    name: &'static str,
    team: &'static str,
    /// The days of vacation that are left.
    vacation_days: u32,
}

const EMPLOYEES: [Employee; 5] = [
    Employee { name: "Ines", team: "sales", vacation_days: 24 },
    Employee { name: "Jonas", team: "sales", vacation_days: 7 },
    Employee { name: "Kira", team: "support", vacation_days: 21 },
    Employee { name: "Leo", team: "support", vacation_days: 20 },
    Employee { name: "Mara", team: "warehouse", vacation_days: 29 },
];

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct Weather {
    city: &'static str,
    /// In degrees Celsius.
    temperature: i32,
    rain: bool,
}

const WEATHER: [Weather; 7] = [
    Weather { city: "Berlin", temperature: 14, rain: false },
    Weather { city: "Bergen", temperature: 8, rain: true },
    Weather { city: "Cairo", temperature: 31, rain: false },
    Weather { city: "Hamburg", temperature: 11, rain: true },
    Weather { city: "Lima", temperature: 19, rain: false },
    Weather { city: "Oslo", temperature: 6, rain: false },
    Weather { city: "Rome", temperature: 22, rain: false },
];

const DOCUMENTS: [(&str, &str); 5] = [
    ("contract.txt", "The contract with Acme ends in May.\nNotice period: 3 months."),
    ("minutes.txt", "Monday: the team agreed to move the project Falcon to July.\nIt needs two more people."),
    ("prices.txt", "The prices of chairs rise by 5 percent in June."),
    ("travel.txt", "Trips above 500 euros need approval."),
    ("welcome.txt", "Welcome to the team. Ask Kira for a key."),
];

/// Units of each currency for one euro.
const RATES: [(&str, f64); 4] = [("EUR", 1.0), ("USD", 1.25), ("GBP", 0.8), ("JPY", 160.0)];

/// Lists all customers.
#[tool(read_only, output_schema)]
fn list_customers() -> Vec<Customer> {
    CUSTOMERS.to_vec()
}

/// Lists the orders of a customer.
#[tool(read_only, output_schema)]
fn list_orders(customer_id: u32) -> Result<Vec<Order>, String> {
    if !CUSTOMERS.iter().any(|customer| customer.id == customer_id) {
        return Err(format!("there is no customer {customer_id}"));
    }
    let of_customer = ORDERS.iter().filter(|(id, ..)| id / 100 == customer_id);
    Ok(of_customer.map(|&(id, total, status)| Order { id, total, status }).collect())
}

/// Gets the invoice of an order. It is an error if the order is cancelled.
#[tool(read_only, output_schema)]
fn get_invoice(order_id: u32) -> Result<Invoice, String> {
    let Some(&(order, amount, status)) = ORDERS.iter().find(|(id, ..)| *id == order_id) else {
        return Err(format!("there is no order {order_id}"));
    };
    if status == Status::Cancelled {
        return Err(format!("order {order} is cancelled, so it has no invoice"));
    }
    Ok(Invoice { order, amount, paid: !UNPAID.contains(&order) })
}

/// Lists all products.
#[tool(read_only, output_schema)]
fn list_products() -> Vec<Product> {
    PRODUCTS.to_vec()
}

/// Orders more pieces of a product.
#[tool(destructive, output_schema)]
fn restock_product(sku: &str, quantity: u32, #[state] shop: &Shop) -> Result<String, String> {
    if !PRODUCTS.iter().any(|product| product.sku == sku) {
        return Err(format!("there is no product {sku:?}"));
    }
    shop.add_effect(json!({ "tool": "restock_product", "sku": sku, "quantity": quantity }));
    Ok(format!("{quantity} pieces of {sku} are on their way"))
}

/// Lists all employees.
#[tool(read_only, output_schema)]
fn list_employees() -> Vec<Employee> {
    EMPLOYEES.to_vec()
}

/// Creates a task for an employee.
#[tool(destructive, output_schema)]
fn create_task(
    title: &str,
    /// The name of the employee.
    assignee: &str,
    #[state] shop: &Shop,
) -> Result<String, String> {
    if !EMPLOYEES.iter().any(|employee| employee.name == assignee) {
        return Err(format!("there is no employee {assignee:?}"));
    }
    shop.add_effect(json!({ "tool": "create_task", "title": title, "assignee": assignee }));
    Ok(format!("created the task {title:?} for {assignee}"))
}

/// Lists the names of all documents.
#[tool(read_only, output_schema)]
fn list_documents() -> Vec<&'static str> {
    DOCUMENTS.iter().map(|(name, _)| *name).collect()
}

/// Reads the text of a document.
#[tool(read_only, output_schema)]
fn read_document(name: &str) -> Result<String, String> {
    let found = DOCUMENTS.iter().find(|(document, _)| *document == name);
    found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| format!("there is no document {name:?}"))
}

/// Gets the weather of a city.
#[tool(read_only, output_schema)]
fn get_weather(city: &str) -> Result<Weather, String> {
    let found = WEATHER.iter().find(|weather| weather.city == city);
    found.copied().ok_or_else(|| format!("there is no weather of {city:?}"))
}

/// Converts an amount of money.
#[tool(read_only, output_schema)]
fn convert_currency(
    amount: f64,
    /// A code such as EUR.
    from: &str,
    /// A code such as EUR.
    to: &str,
) -> Result<f64, String> {
    let rate = |code: &str| {
        let found = RATES.iter().find(|(currency, _)| *currency == code);
        found.map(|(_, rate)| *rate).ok_or_else(|| format!("there is no currency {code:?}"))
    };
    Ok(amount / rate(from)? * rate(to)?)
}

/// Sends a mail.
#[tool(destructive, output_schema)]
fn send_mail(
    /// The address.
    to: &str,
    subject: &str,
    text: &str,
    #[state] shop: &Shop,
) -> Result<String, String> {
    if !to.contains('@') {
        return Err(format!("{to:?} is not an address"));
    }
    shop.add_effect(json!({ "tool": "send_mail", "to": to, "subject": subject, "text": text }));
    Ok(format!("sent a mail to {to}"))
}

fn registry(shop: &Shop) -> Result<Registry, BuildError> {
    let tools = tools![
        list_customers,
        list_orders,
        get_invoice,
        list_products,
        restock_product,
        list_employees,
        create_task,
        list_documents,
        read_document,
        get_weather,
        convert_currency,
        send_mail,
    ];
    let counted = shop.clone();
    let count = move |call: ReadyCall| {
        counted.with(|state| state.calls += 1);
        async move { call.run().await }
    };
    let inner = Registry::builder().tools(tools).state(shop.clone()).around_call(count).build()?;
    Registry::builder().dynamic(CodeTool::new(inner).tool()).lenient_arguments(true).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::default();
    let registry = registry(&shop)?;
    for line in io::stdin().lines() {
        let answer = match serde_json::from_str(&line?)? {
            Line::Definitions(_) => json!(registry.schemas()),
            Line::Reset(_) => {
                shop.with(mem::take);
                json!({})
            }
            Line::Call { name, arguments } => {
                let before = shop.with(|state| state.calls);
                let call = ToolCall::new("call_1", name, arguments);
                let result = registry.dispatch(&[call]).await.remove(0);
                let is_error = result.outcome().is_none_or(|outcome| outcome.error().is_some());
                let (effects, calls) = shop.with(|state| (state.effects.clone(), state.calls - before));
                json!({ "text": result.text(), "is_error": is_error, "effects": effects, "calls": calls })
            }
        };
        let mut out = io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
