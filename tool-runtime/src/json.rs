//! JSON taken apart where it stands, without a copy.

mod pairs;
mod scanner;
mod text;

pub(crate) use pairs::Pairs;
pub(crate) use scanner::{Quoted, Scanner};
pub(crate) use text::Text;
