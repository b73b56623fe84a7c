//! A tool for each shape of parameter.

#![allow(
    dead_code,
    clippy::boxed_local,
    clippy::option_option,
    clippy::zero_sized_map_values,
    reason = "the shapes are only decoded"
)]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::num::{NonZeroI32, NonZeroI64, NonZeroU8};
use tool_runtime::registry::ToolList;
use tool_runtime::{tool, tools};

macro_rules! shapes {
    ($($name:ident: $shape:ty;)*) => {
        $(
            /// Takes one value.
            #[tool]
            fn $name(value: $shape) {
                let _ = value;
            }
        )*

        /// All shapes, and the tools with several parameters or options.
        pub(crate) fn shapes() -> ToolList {
            tools![$($name,)* narrowed, defaulted, texts, option_of_text, several]
        }
    };
}

/// Shapes whose decoders parse a string.
pub(crate) const FORMATTED: [&str; 9] = [
    "date",
    "date_time",
    "local_date_time",
    "time_of_day",
    "unique_id",
    "link",
    "address",
    "addresses",
    "event",
];

shapes! {
    boolean: bool;
    small: u8;
    small_signed: i8;
    middle: u16;
    middle_signed: i16;
    int: i32;
    unsigned: u32;
    long: i64;
    unsigned_long: u64;
    size: usize;
    signed_size: isize;
    wide: u128;
    wide_signed: i128;
    float: f32;
    double: f64;
    letter: char;
    string: String;
    boxed: Box<str>;
    path: std::path::PathBuf;
    non_zero: NonZeroU8;
    non_zero_signed: NonZeroI32;
    non_zero_long: NonZeroI64;
    unit: ();
    unit_struct: UnitStruct;
    option: Option<u8>;
    option_of_option: Option<Option<i32>>;
    option_of_struct: Option<Plain>;
    option_of_enum: Option<Unit>;
    option_of_documented: Option<Documented>;
    vector: Vec<u8>;
    vector_of_vectors: Vec<Vec<i64>>;
    vector_of_options: Vec<Option<u8>>;
    vector_of_structs: Vec<Plain>;
    deque: VecDeque<String>;
    array: [u8; 3];
    empty_array: [u8; 0];
    pair: (u8, u8);
    tuple: (u8, String, Option<bool>);
    map: HashMap<String, u8>;
    map_of_structs: BTreeMap<String, Plain>;
    map_of_integers: HashMap<u32, u8>;
    map_of_signed: BTreeMap<i32, String>;
    map_of_enums: HashMap<Unit, u8>;
    map_of_documented: HashMap<Documented, u8>;
    maps_of_documented: Vec<WithMaps>;
    map_of_anything: Map<String, Value>;
    set: HashSet<u8>;
    set_of_text: BTreeSet<String>;
    set_of_lists: BTreeSet<Vec<i8>>;
    structure: Plain;
    closed: Closed;
    nested: Nested;
    newtype: Newtype;
    tuple_struct: TupleStruct;
    transparent: Transparent;
    renamed: Renamed;
    defaults: Defaults;
    all_default: AllDefault;
    constrained: Constrained;
    flattened: Flattened;
    flattened_map: FlattenedMap;
    flattened_option: FlattenedOption;
    flattened_enum: FlattenedEnum;
    flattened_option_of_enum: FlattenedOptionOfEnum;
    flattened_option_of_variants: FlattenedOptionOfVariants;
    flattened_option_of_untagged: FlattenedOptionOfUntagged;
    flattened_variants: FlattenedVariants;
    two_flattened_enums: TwoFlattenedEnums;
    option_of_flattened_enum: Option<FlattenedEnum>;
    unit_enum: Unit;
    documented_enum: Documented;
    enum_with_other: WithOther;
    one_variant: OneVariant;
    externally_tagged: External;
    internally_tagged: Internal;
    internally_tagged_closed: InternalClosed;
    adjacently_tagged: Adjacent;
    untagged: Untagged;
    untagged_structs: UntaggedStructs;
    recursive: Tree;
    recursive_enum: Expression;
    recursive_option: Chain;
    anything: Value;
    vector_of_anything: Vec<Value>;
    struct_with_anything: WithAnything;
    from_another: FromAnother;
    date: chrono::NaiveDate;
    date_time: chrono::DateTime<chrono::Utc>;
    local_date_time: chrono::NaiveDateTime;
    time_of_day: chrono::NaiveTime;
    unique_id: uuid::Uuid;
    link: url::Url;
    address: std::net::IpAddr;
    addresses: Vec<std::net::Ipv4Addr>;
    event: Event;
    weekday: chrono::Weekday;
}

/// Takes arguments with constraints.
#[tool]
fn narrowed(
    #[arg(schema(minimum = 2, maximum = 5))] count: u8,
    #[arg(schema(exclusiveMinimum = 0, exclusiveMaximum = 1))] ratio: f64,
    #[arg(schema(minLength = 1, maxLength = 3))] text: &str,
    #[arg(schema(pattern = "^[a-z]+$"))] word: String,
    #[arg(schema(minItems = 1, maxItems = 2))] list: &[i8],
) {
    let _ = (count, ratio, text, word, list);
}

/// Has a default for each argument.
#[tool]
fn defaulted(
    #[arg(default = 3)] count: u8,
    #[arg(default = "x")] text: &str,
    #[arg(default)] plain: AllDefault,
    #[arg(default = Some(4))] maybe: Option<u8>,
) {
    drop((count, text, plain, maybe));
}

/// Borrows arguments.
#[tool]
fn texts(text: &str, cow: std::borrow::Cow<'_, str>, plain: &Plain, list: &[Unit]) {
    let _ = (text, cow, plain, list);
}

/// Borrows optional arguments.
#[tool]
fn option_of_text(text: Option<&str>, plain: Option<&Plain>, list: Option<&[u8]>) {
    let _ = (text, plain, list);
}

/// Takes several arguments.
#[tool]
fn several(a: u8, b: Option<Internal>, c: Vec<External>) {
    drop((a, b, c));
}

#[derive(Deserialize, JsonSchema)]
struct UnitStruct;

#[derive(Deserialize, JsonSchema)]
struct Plain {
    a: u8,
    b: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: i16,
    #[serde(default)]
    b: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Nested {
    plain: Plain,
    many: Vec<Closed>,
    maybe: Option<Box<Nested2>>,
}

#[derive(Deserialize, JsonSchema)]
struct Nested2 {
    unit: Unit,
    pair: (i8, f64),
}

#[derive(Deserialize, JsonSchema)]
struct Newtype(u16);

#[derive(Deserialize, JsonSchema)]
struct TupleStruct(u8, String);

#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Transparent {
    inner: Vec<Unit>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Renamed {
    first_name: String,
    #[serde(rename = "type")]
    kind: u8,
    #[serde(alias = "b")]
    with_alias: u8,
    #[serde(skip)]
    skipped: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Defaults {
    #[serde(default)]
    a: u8,
    #[serde(default = "seven")]
    b: i64,
    c: Option<u8>,
    #[serde(default)]
    d: Vec<u8>,
    e: bool,
}

fn seven() -> i64 {
    7
}

#[derive(Default, serde::Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct AllDefault {
    a: u32,
    b: String,
}

#[derive(Deserialize, JsonSchema)]
struct Constrained {
    #[schemars(range(min = 1, max = 10))]
    count: u8,
    #[schemars(range(min = -0.5, max = 0.5))]
    share: f64,
    #[schemars(length(min = 1, max = 4))]
    name: String,
    #[schemars(length(max = 2))]
    list: Vec<u8>,
    #[schemars(regex(pattern = "^[a-z]+$"))]
    word: Option<String>,
    #[schemars(extend("multipleOf" = 5))]
    fives: i32,
}

#[derive(Deserialize, JsonSchema)]
struct Flattened {
    own: u8,
    #[serde(flatten)]
    inner: Plain,
}

#[derive(Deserialize, JsonSchema)]
struct FlattenedMap {
    own: u8,
    #[serde(flatten)]
    rest: HashMap<String, i8>,
}

#[derive(Deserialize, JsonSchema)]
struct FlattenedOption {
    own: u8,
    #[serde(flatten)]
    inner: Option<Plain>,
}

#[derive(Deserialize, JsonSchema)]
struct FlattenedEnum {
    own: u8,
    #[serde(flatten)]
    inner: Internal,
}

#[derive(Deserialize, JsonSchema)]
struct FlattenedOptionOfEnum {
    own: u8,
    #[serde(flatten)]
    inner: Option<Internal>,
}

#[derive(Deserialize, JsonSchema)]
struct FlattenedOptionOfVariants {
    own: u8,
    #[serde(flatten)]
    inner: Option<State>,
}

#[derive(Deserialize, JsonSchema)]
struct FlattenedOptionOfUntagged {
    own: u8,
    #[serde(flatten)]
    inner: Option<UntaggedStructs>,
}

#[derive(Deserialize, JsonSchema)]
struct FlattenedVariants {
    own: u8,
    #[serde(flatten)]
    inner: State,
}

#[derive(Deserialize, JsonSchema)]
struct TwoFlattenedEnums {
    own: u8,
    #[serde(flatten)]
    inner: Internal,
    #[serde(flatten)]
    other: InternalOpen,
}

#[derive(Deserialize, JsonSchema)]
enum State {
    /// Has a doc.
    Open,
    Shut,
    Ajar {
        by: u8,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum InternalOpen {
    One { y: u8 },
    Other { z: Option<bool> },
}

#[derive(Deserialize, JsonSchema)]
struct WithMaps {
    of: Option<BTreeMap<Documented, Plain>>,
    tagged: Vec<TaggedMap>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t")]
enum TaggedMap {
    Map { map: HashMap<Documented, bool> },
    None,
}

#[derive(PartialEq, Eq, Hash, Deserialize, JsonSchema)]
enum Unit {
    A,
    B,
}

/// The system of units.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Documented {
    /// In degrees Celsius.
    Metric,
    /// In degrees
    /// Fahrenheit.
    Imperial,
    Other,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum WithOther {
    First,
    #[serde(alias = "2nd")]
    Second,
    #[serde(other)]
    Rest,
}

#[derive(Deserialize, JsonSchema)]
enum OneVariant {
    Only(u8),
}

#[derive(Deserialize, JsonSchema)]
enum External {
    A,
    /// Has a doc.
    B,
    Struct {
        x: u8,
    },
    Newtype(i32),
    Tuple(u8, String),
    Nested(Plain),
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t")]
enum Internal {
    A,
    Struct { x: u8 },
    Newtype(Plain),
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields)]
enum InternalClosed {
    Struct { x: u8 },
    Other { y: Option<bool> },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Struct { x: u8 },
    Newtype(String),
    Tuple(u8, u8),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Small(u8),
    Real(f64),
    Text(String),
    Struct { x: u8 },
    List(Vec<i8>),
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum UntaggedStructs {
    Point { x: i32, y: i32 },
    Line { from: Plain, to: Plain },
}

#[derive(Deserialize, JsonSchema)]
struct Tree {
    name: String,
    #[serde(default)]
    children: Vec<Tree>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Expression {
    Sum(Vec<Expression>),
    Not(Box<Expression>),
    Literal(f64),
}

#[derive(Deserialize, JsonSchema)]
struct Chain {
    value: u8,
    next: Option<Box<Chain>>,
}

#[derive(Deserialize, JsonSchema)]
struct WithAnything {
    any: Value,
    maybe: Option<Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(from = "Plain")]
struct FromAnother(u8);

impl From<Plain> for FromAnother {
    fn from(plain: Plain) -> Self {
        FromAnother(plain.a)
    }
}

#[derive(Deserialize, JsonSchema)]
struct Event {
    on: chrono::NaiveDate,
    id: uuid::Uuid,
    page: Option<url::Url>,
}
