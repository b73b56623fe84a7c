//! The server of the page: access, tools, calls, histories and live runs.

mod access;
mod calls;
mod histories;
mod live;
mod page;
mod program;
mod registry;
mod tools;
