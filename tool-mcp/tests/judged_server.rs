//! The server that clients of others judge: the tools of the conformance suite, and tools that fail in each way.
fn main() {}
