//! The rules by which providers reject requests, with an invalid request for each.

mod anthropic;
mod bedrock;
mod chat_completions;
mod gemini;
mod gemini_interactions;
mod ollama;
mod response_formats;
mod responses;
