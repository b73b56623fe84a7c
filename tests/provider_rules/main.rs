//! The rules by which providers reject requests, with an invalid request for each.

mod anthropic;
mod chat_completions;
mod gemini;
mod ollama;
mod response_formats;
mod responses;
