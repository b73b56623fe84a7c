//! A history of each wire, with the errors of its provider.

/// The histories of a wire: an exchange with two calls and their results, with its further fields.
pub(super) struct Histories {
    pub(super) wire: &'static str,
    pub(super) field: &'static str,
    /// The text of a whole request around the array.
    pub(super) before: &'static str,
    pub(super) after: &'static str,
    pub(super) question: &'static str,
    /// The elements of a reply with the calls `call_a` and `call_b`.
    pub(super) reply: &'static [&'static str],
    /// The element of both results.
    pub(super) results: &'static [&'static str],
    /// The element of the result of `call_a`.
    pub(super) result: &'static str,
    /// The element of a result without a call.
    pub(super) orphan: &'static str,
    pub(super) thanks: &'static str,
    pub(super) unit: &'static str,
    /// Error messages of the provider: no result, no call, a second result.
    pub(super) errors: [&'static str; 3],
}

/// The errors of Chat Completions, which Ollama's own API shares.
const ERRORS: [&str; 3] = [
    "    OpenAI error: An assistant message with 'tool_calls' must be followed by tool messages responding to each \
     'tool_call_id'. The following tool_call_ids did not have response messages: call_b",
    "    OpenAI error: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with \
     'tool_calls'.",
    "    Mistral error: Duplicate tool call id call_a in tool results",
];

pub(super) const HISTORIES: [Histories; 7] = [
    Histories {
        wire: "chat_completions",
        field: "messages",
        before: r#"{"model":"m", "messages" : "#,
        after: r#", "temperature":1.0}"#,
        question: r#"{"role": "user", "content": "?"}"#,
        reply: &[
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"call_b","type":"function","function":{"name":"g","arguments":"{}"}}]}"#,
        ],
        results: &[
            r#"{"role":"tool","tool_call_id":"call_a","content":"1"}"#,
            r#"{"role":"tool","tool_call_id":"call_b","content":"2"}"#,
        ],
        result: r#"{"role":"tool","tool_call_id":"call_a","content":"1"}"#,
        orphan: r#"{"role":"tool","tool_call_id":"call_x","content":"3"}"#,
        thanks: r#"{"content":"Thanks!","role":"user","name":"Ada"}"#,
        unit: "messages",
        errors: ERRORS,
    },
    Histories {
        wire: "anthropic",
        field: "messages",
        before: r#"{"system": "Be brief.", "messages": "#,
        after: r#", "max_tokens": 9, "model": "m"}"#,
        question: r#"{"role": "user", "content": "?"}"#,
        reply: &[
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"tool_use","id":"call_a","name":"f","input":{}},{"type":"tool_use","id":"call_b","name":"g","input":{}}]}"#,
        ],
        results: &[
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_a","content":"1"},{"type":"tool_result","tool_use_id":"call_b","content":"2"}]}"#,
        ],
        result: r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_a","content":"1"}]}"#,
        orphan: r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_x","content":"3"}]}"#,
        thanks: r#"{"content":"Thanks!","role":"user"}"#,
        unit: "messages",
        errors: [
            "    Anthropic error: `tool_use` ids were found without `tool_result` blocks immediately after: call_b. Each \
             `tool_use` block must have a corresponding `tool_result` block in the next message.",
            "    Anthropic error: unexpected `tool_use_id` found in `tool_result` blocks: call_x. Each `tool_result` block \
             must have a corresponding `tool_use` block in the previous message.",
            "    Anthropic error: each tool_use must have a single result. Found multiple `tool_result` blocks with id: call_a",
        ],
    },
    Histories {
        wire: "responses",
        field: "input",
        before: r#"{"instructions": "Be brief.", "input": "#,
        after: r#", "store": true, "model": "m"}"#,
        question: r#"{"role": "user", "content": "?"}"#,
        reply: &[
            r#"{"type":"reasoning","id":"rs_1","summary":[]}"#,
            r#"{"type":"function_call","id":"fc_1","call_id":"call_a","name":"f","arguments":"{}"}"#,
            r#"{"type":"function_call","id":"fc_2","call_id":"call_b","name":"g","arguments":"{}"}"#,
        ],
        results: &[
            r#"{"type":"function_call_output","call_id":"call_a","output":"1"}"#,
            r#"{"type":"function_call_output","call_id":"call_b","output":"2"}"#,
        ],
        result: r#"{"type":"function_call_output","call_id":"call_a","output":"1"}"#,
        orphan: r#"{"type":"function_call_output","call_id":"call_x","output":"3"}"#,
        thanks: r#"{"content":"Thanks!","role":"user","type":"message"}"#,
        unit: "items",
        errors: [
            "    OpenAI error: No tool output found for function call call_b.",
            "    OpenAI error: No tool call found for function call output with call_id call_x.",
            "    OpenAI error: No tool call found for function call output with call_id call_a.",
        ],
    },
    Histories {
        wire: "gemini",
        field: "contents",
        before: r#"{"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": "#,
        after: r#", "generationConfig": {"temperature": 1.0}}"#,
        question: r#"{"role": "user", "parts": [{"text": "?"}]}"#,
        reply: &[
            r#"{"role":"model","parts":[{"functionCall":{"id":"call_a","name":"f","args":{}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"call_b","name":"g","args":{}}}]}"#,
        ],
        results: &[
            r#"{"role":"user","parts":[{"functionResponse":{"id":"call_a","name":"f","response":{"output":"1"}}},{"functionResponse":{"id":"call_b","name":"g","response":{"output":"2"}}}]}"#,
        ],
        result: r#"{"role":"user","parts":[{"functionResponse":{"id":"call_a","name":"f","response":{"output":"1"}}}]}"#,
        orphan: r#"{"role":"user","parts":[{"functionResponse":{"id":"call_x","name":"x","response":{"output":"3"}}}]}"#,
        thanks: r#"{"parts":[{"text":"Thanks!"}],"role":"user"}"#,
        unit: "contents",
        errors: [
            "    Gemini error: Please ensure that the number of function response parts is equal to the number of function \
             call parts of the function call turn.",
            "    Gemini error: Please ensure that function response turn comes immediately after a function call turn.",
            "    Gemini error: Please ensure that the number of function response parts is equal to the number of function \
             call parts of the function call turn.",
        ],
    },
    Histories {
        wire: "ollama",
        field: "messages",
        before: r#"{"model": "m", "messages": "#,
        after: r#", "stream": false, "options": {"temperature": 1.0}}"#,
        question: r#"{"role": "user", "content": "?"}"#,
        reply: &[
            r#"{"role":"assistant","content":"","thinking":"Hm.","tool_calls":[{"id":"call_a","type":"function","function":{"name":"f","arguments":{}}},{"id":"call_b","type":"function","function":{"name":"g","arguments":{}}}]}"#,
        ],
        results: &[
            r#"{"role":"tool","tool_name":"f","tool_call_id":"call_a","content":"1"}"#,
            r#"{"role":"tool","tool_name":"g","tool_call_id":"call_b","content":"2"}"#,
        ],
        result: r#"{"role":"tool","tool_name":"f","tool_call_id":"call_a","content":"1"}"#,
        orphan: r#"{"role":"tool","tool_name":"x","tool_call_id":"call_x","content":"3"}"#,
        thanks: r#"{"content":"Thanks!","role":"user"}"#,
        unit: "messages",
        errors: ERRORS,
    },
    Histories {
        wire: "gemini_interactions",
        field: "input",
        before: r#"{"system_instruction": "Be brief.", "input": "#,
        after: r#", "store": true, "model": "m"}"#,
        question: r#"{"type": "user_input", "content": [{"type": "text", "text": "?"}]}"#,
        reply: &[
            r#"{"type":"thought","signature":"c2ln"}"#,
            r#"{"type":"function_call","id":"call_a","name":"f","arguments":{}}"#,
            r#"{"type":"function_call","id":"call_b","name":"g","arguments":{}}"#,
        ],
        results: &[
            r#"{"type":"function_result","call_id":"call_a","name":"f","result":"1"}"#,
            r#"{"type":"function_result","call_id":"call_b","name":"g","result":"2"}"#,
        ],
        result: r#"{"type":"function_result","call_id":"call_a","name":"f","result":"1"}"#,
        orphan: r#"{"type":"function_result","call_id":"call_x","name":"x","result":"3"}"#,
        thanks: r#"{"content":[{"text":"Thanks!","type":"text"}],"type":"user_input"}"#,
        unit: "steps",
        errors: ERRORS,
    },
    // The API rejects adjacent messages of one role, so that the last message is one of the model.
    Histories {
        wire: "bedrock",
        field: "messages",
        before: r#"{"system": [{"text": "Be brief."}], "messages": "#,
        after: r#", "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}]}}"#,
        question: r#"{"role": "user", "content": [{"text": "?"}]}"#,
        reply: &[
            r#"{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Hm.","signature":"s"}}},{"toolUse":{"toolUseId":"call_a","name":"f","input":{}}},{"toolUse":{"toolUseId":"call_b","name":"g","input":{}}}]}"#,
        ],
        results: &[
            r#"{"role":"user","content":[{"toolResult":{"toolUseId":"call_a","content":[{"text":"1"}]}},{"toolResult":{"toolUseId":"call_b","content":[{"text":"2"}]}}]}"#,
        ],
        result: r#"{"role":"user","content":[{"toolResult":{"toolUseId":"call_a","content":[{"text":"1"}]}}]}"#,
        orphan: r#"{"role":"user","content":[{"toolResult":{"toolUseId":"call_x","content":[{"text":"3"}]}}]}"#,
        thanks: r#"{"content":[{"text":"Thanks!"}],"role":"assistant"}"#,
        unit: "messages",
        errors: [
            "    Bedrock error: Expected toolResult blocks at messages.N.content for the following Ids: call_b",
            "    Bedrock error: The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of \
             previous turn.",
            "    Bedrock error: The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of \
             previous turn.",
        ],
    },
];
