//! A scripted peer, which reads and writes lines of JSON.

use serde_json::{Value, json};
use std::collections::VecDeque;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, split,
};
use tokio::task::JoinHandle;
use tool_runtime::Registry;
use tool_runtime_mcp::{ClientBuilder, ServeError, Server};

/// The size of the buffer of a connection.
const BUFFER: usize = 1 << 16;

/// One end of a connection.
pub(crate) struct Peer {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    /// Messages that `receive` has read while it waited for another one.
    others: VecDeque<Value>,
}

impl Peer {
    pub(crate) fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = split(stream);
        Peer { lines: BufReader::new(reader).lines(), writer, others: VecDeque::new() }
    }

    /// A client of this server, after its handshake.
    pub(crate) async fn connect_to(server: Server) -> Self {
        Peer::connect_and_watch(server).await.0
    }

    /// Also returns the task of the server.
    pub(crate) async fn connect_and_watch(server: Server) -> (Self, JoinHandle<Result<(), ServeError>>) {
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        let task = tokio::spawn(server.run(theirs));
        let mut peer = Peer::new(ours);
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        peer.request(0, "initialize", params).await;
        peer.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        (peer, task)
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_line(&message.to_string()).await;
    }

    /// Writes a line, which need not be JSON. A closed connection is not an error here.
    pub(crate) async fn send_line(&mut self, line: &str) {
        let _ = self.writer.write_all(format!("{line}\n").as_bytes()).await;
    }

    /// The writer alone.
    pub(crate) fn into_writer(self) -> WriteHalf<DuplexStream> {
        self.writer
    }

    /// Ends the input of the other side, which can still send.
    pub(crate) async fn end_input(&mut self) {
        self.writer.shutdown().await.expect("the connection is open");
    }

    /// The next message; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        if let Some(message) = self.others.pop_front() {
            return Some(message);
        }
        self.read().await
    }

    async fn read(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).expect("every line is JSON"))
    }

    /// The next message with this field; the others stay in their order.
    pub(crate) async fn receive(&mut self, field: &str, value: impl Into<Value>) -> Value {
        let value = value.into();
        if let Some(position) = self.others.iter().position(|message| message[field] == value) {
            return self.others.remove(position).expect("it is there");
        }
        loop {
            let message = self.read().await.expect("the connection is open");
            if message[field] == value {
                return message;
            }
            self.others.push_back(message);
        }
    }

    /// Sends a request, and waits for its response.
    pub(crate) async fn request(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        self.receive("id", id).await
    }

    /// A client of this server that speaks protocol 2026-07-28.
    pub(crate) async fn connect_without_initialize(server: Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        tokio::spawn(server.run(theirs));
        let mut peer = Peer::new(ours);
        peer.request_with_meta(0, "server/discover", json!({})).await;
        peer
    }

    /// Sends a request of protocol 2026-07-28, and waits for its response.
    pub(crate) async fn request_with_meta(&mut self, id: u64, method: &str, mut params: Value) -> Value {
        params["_meta"] = meta();
        self.request(id, method, params).await
    }

    pub(crate) async fn call(&mut self, id: u64, tool: &str, arguments: Value) -> Value {
        self.request(id, "tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The next message for a server with this tool, after responses to the requests that initialise it and list its tools.
    pub(crate) async fn next_for_tool(&mut self, tool: &str) -> Option<Value> {
        loop {
            let message = self.next().await?;
            let result = match message["method"].as_str() {
                Some("initialize") => {
                    let info = json!({ "name": "scripted", "version": "1" });
                    json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": info })
                }
                Some("tools/list") => json!({ "tools": [definition(tool, &json!({}))] }),
                _ => return Some(message),
            };
            self.send(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).await;
        }
    }

    /// Responds to requests of a client until it closes the connection. `respond` gets the method and the parameters.
    pub(crate) async fn serve(mut self, mut respond: impl FnMut(&str, &Value) -> Response) {
        while let Some(message) = self.next().await {
            let (Some(method), id) = (message["method"].as_str(), &message["id"]) else { continue };
            let response = match method {
                "initialize" => Response::Result(json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {"listChanged": true}},
                    "serverInfo": {"name": "scripted", "version": "1"},
                })),
                _ => respond(method, &message["params"]),
            };
            let (field, value) = match response {
                Response::Result(result) => ("result", result),
                Response::Error(error) => ("error", error),
                Response::Nothing => continue,
                Response::Close => return,
            };
            if !id.is_null() {
                self.send(json!({"jsonrpc": "2.0", "id": id, field: value})).await;
            }
        }
    }
}

/// The `_meta` that protocol 2026-07-28 requires.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// The response of a scripted server.
pub(crate) enum Response {
    Result(Value),
    Error(Value),
    Nothing,
    /// The connection ends.
    Close,
}

/// A client of servers that are scripted with this function, one for each connection.
pub(crate) fn connect_to_script<F: Future<Output = ()> + Send + 'static>(
    server: impl Fn(Peer) -> F + Send + Sync + 'static,
) -> ClientBuilder {
    tool_runtime_mcp::Client::transport(move || {
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        tokio::spawn(server(Peer::new(theirs)));
        async move { Ok::<_, std::io::Error>(ours) }
    })
}

/// The registry of the tools of a server that is scripted with this function.
pub(crate) async fn registry_of<F: Future<Output = ()> + Send + 'static>(
    server: impl Fn(Peer) -> F + Send + Sync + 'static,
) -> Registry {
    let client = connect_to_script(server).connect().await.expect("the server answers");
    client.registry().await.expect("the server lists its tools")
}

/// The definition of a tool without parameters.
pub(crate) fn definition(name: &str, annotations: &Value) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations})
}
