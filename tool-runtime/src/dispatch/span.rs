//! What an operator sees of a call.
