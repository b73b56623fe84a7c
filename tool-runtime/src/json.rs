//! JSON taken apart where it stands, without a copy.

mod pairs;
mod text;

pub(crate) use pairs::Pairs;
pub(crate) use text::Text;
