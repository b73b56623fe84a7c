//! The session that is killed: each reply has a program, which charges, pays, refunds and wraps orders. A tool asks the user.

use serde_json::json;
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tool_runtime::conversation::{InnerCallError, Request};
use tool_runtime::message::Message;
use tool_runtime::session::{HookError, RunEnd};
use tool_runtime::{AssistantMessage, CallContext, Registry, RunContext, Session, ToolCall, tool, tools};
use tool_runtime_code::CodeTool;
use tool_runtime_durable::{DurableRun as _, FileJournal};
use tool_runtime_testing::assert_valid;

const REPLIES: usize = 4;

/// A program of the model. Calls that the end of a process interrupts have an error, which it returns.
const PROGRAM: &str = "
const ended = [];
const end = async call => { try { ended.push(await call) } catch (error) { ended.push(error.kind) } };
for (const n of [0, 1, 2]) {
  const { orders } = await tools.read({ page: PAGE * 10 + n });
  await Promise.all(orders.map(order => end(tools.charge({ order }))));
  await end(tools.pay({ order: orders[0] }));
  if (n < 2) await end(tools.refund({ order: orders[1] }));
  if (n == 1) await end(tools.gift({ order: orders[2] }));
}
return ended;
";

/// The files of a session.
#[derive(Clone)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    pub(crate) fn new(folder: &Path) -> Self {
        Files { folder: folder.to_owned() }
    }

    fn load(&self, name: &str) -> Option<Session> {
        let text = fs::read(self.folder.join(name)).ok()?;
        Some(serde_json::from_slice(&text).expect("a stored session"))
    }

    fn save(&self, name: &str, session: &Session) -> Result<(), HookError> {
        let new = self.folder.join("new");
        fs::write(&new, serde_json::to_vec(session)?)?;
        Ok(fs::rename(new, self.folder.join(name))?)
    }

    /// Adds a line to the effects, and waits like a server.
    async fn effect(&self, line: String) -> io::Result<()> {
        let mut effects = OpenOptions::new().create(true).append(true).open(self.folder.join("effects"))?;
        // One write, so that no kill separates a line from its end.
        effects.write_all(format!("{line}\n").as_bytes())?;
        tokio::time::sleep(Duration::from_millis(2)).await;
        Ok(())
    }
}

#[derive(serde::Serialize)]
struct Page {
    orders: Vec<u64>,
}

/// Reads a page of orders.
#[tool(read_only)]
async fn read(page: u64) -> Page {
    tokio::time::sleep(Duration::from_millis(1)).await;
    Page { orders: (0..3).map(|n| page * 10 + n).collect() }
}

/// Charges an order.
#[tool(destructive)]
async fn charge(order: u64, #[state] files: &Files) -> io::Result<&'static str> {
    files.effect(format!("charge {order}")).await?;
    Ok("charged")
}

/// Pays an order, once for each key.
#[tool(destructive, idempotent)]
async fn pay(order: u64, #[state] files: &Files, #[context] call: &CallContext) -> io::Result<&'static str> {
    let payment = format!("pay {order} {}", call.idempotency_key().unwrap_or_default());
    let effects = fs::read_to_string(files.folder.join("effects")).unwrap_or_default();
    if !effects.lines().any(|line| line == payment) {
        files.effect(payment).await?;
    }
    Ok("paid")
}

/// Refunds an order.
#[tool(destructive, requires_approval)]
async fn refund(order: u64, #[state] files: &Files) -> io::Result<&'static str> {
    files.effect(format!("refund {order}")).await?;
    Ok("refunded")
}

/// Wraps an order as a gift.
#[tool(destructive)]
async fn wrap(order: u64, paper: &str, #[state] files: &Files) -> io::Result<&'static str> {
    files.effect(format!("wrap {order} {paper}")).await?;
    Ok("wrapped")
}

/// The registry of the effect of `gift`.
struct Wrapping(Registry);

/// Makes an order a gift, in the paper that the user chooses.
#[tool(resumable)]
async fn gift(
    order: u64,
    #[state] wrapping: &Wrapping,
    #[context] call: &CallContext,
) -> Result<String, InnerCallError> {
    let schema = json!({ "type": "object", "properties": { "paper": { "enum": ["red", "blue"] } }, "required": ["paper"] });
    let answer = call.ask("Which paper?", schema).await?.accepted().unwrap_or_default();
    let arguments = json!({ "order": order, "paper": answer["paper"] });
    let wrapped = call.inner_call(&wrapping.0, "wrap", arguments).await?;
    Ok(wrapped.error_kind().map_or_else(|| wrapped.text().into_owned(), str::to_owned))
}

fn registry(files: &Files) -> Registry {
    let wrapping =
        Registry::builder().tools(tools![wrap]).state(files.clone()).build().expect("a valid tool");
    let tools = tools![read, charge, pay, refund, gift];
    let inner = Registry::builder().tools(tools).state(files.clone()).state(Wrapping(wrapping)).build();
    let code = CodeTool::new(inner.expect("valid tools"));
    let registry = Registry::builder().dynamic(code.tool()).build().expect("a valid tool");
    registry.with(&RunContext::new().run_id("chat-7"))
}

async fn model(request: Request) -> Result<AssistantMessage, HookError> {
    let replies =
        request.messages().iter().filter(|message| matches!(message, Message::Assistant(_))).count();
    if replies == REPLIES {
        return Ok(AssistantMessage::from_text("Done."));
    }
    let code = PROGRAM.replace("PAGE", &replies.to_string());
    let arguments = json!({ "code": code }).to_string();
    Ok(AssistantMessage::from_tool_calls([ToolCall::new(format!("call_{replies}"), "run_code", arguments)]))
}

/// Runs the session to its end, from the state that an earlier process has stored, and approves its calls.
pub(crate) async fn run_session(files: &Files) {
    let mut session = files.load("session.json").unwrap_or_else(|| {
        let mut session = Session::new().user("Handle the orders.");
        files.save("first.json", &session.claim()).expect("it is stored");
        session
    });
    let journal = FileJournal::open(files.folder.join("journal")).expect("a journal");
    let registry = registry(files);
    loop {
        let run = session.run(&registry).max_replies(usize::MAX).journal(&journal);
        let run = run.store(|session: &Session| files.save("session.json", session));
        match run.complete(model).await.expect("no error") {
            RunEnd::Answered => return,
            RunEnd::NeedsApproval => {
                for call in session.awaiting_approval() {
                    session.approve(&call.id).expect("it waits");
                }
                files.save("session.json", &session).expect("it is stored");
            }
            RunEnd::NeedsInput => {
                for question in session.awaiting_input() {
                    session.answer(&question.id, json!({ "paper": "red" })).expect("it waits");
                }
                files.save("session.json", &session).expect("it is stored");
            }
            end => panic!("{end}"),
        }
    }
}

/// The texts of a session that has ended, without the interruptions by kills.
pub(crate) fn conversation(files: &Files) -> Vec<String> {
    let session = files.load("session.json").expect("it was stored");
    let texts = session.messages().iter().map(|message| {
        // The report of failures follows after an empty line.
        let text = message.text().split("\n\n").next().unwrap_or_default();
        match message {
            Message::Tool(_) => ended_calls(text).join(","),
            _ => text.to_owned(),
        }
    });
    texts.collect()
}

/// The kinds of the calls of a program, in order. An interrupted call has the kind that it would have had.
fn ended_calls(text: &str) -> Vec<String> {
    const KINDS: [&str; 15] = [
        "charged", "charged", "charged", "paid", "refunded", "charged", "charged", "charged", "paid",
        "refunded", "wrapped", "charged", "charged", "charged", "paid",
    ];
    let ended: Vec<String> = serde_json::from_str(text).unwrap_or_else(|_| panic!("not a list: {text}"));
    assert_eq!(ended.len(), KINDS.len(), "{text}");
    for (ended, kind) in ended.iter().zip(KINDS) {
        let may_be_interrupted = ["charged", "refunded", "wrapped"].contains(&kind);
        assert!(ended == kind || ended == "interrupted" && may_be_interrupted, "{text}");
    }
    KINDS.map(str::to_owned).to_vec()
}

/// Checks a session that has come to its end.
pub(crate) async fn check_ended(files: &Files) {
    let ended = files.load("session.json").expect("it was stored");
    assert_valid(&ended);
    let effects = fs::read_to_string(files.folder.join("effects")).expect("the effects");
    let mut times: HashMap<&str, u32> = HashMap::new();
    for line in effects.lines() {
        *times.entry(line).or_default() += 1;
    }
    let repeated: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(repeated.is_empty(), "an effect has happened twice: {repeated:?}");
    let count = |prefix: &str| times.keys().filter(|line| line.starts_with(prefix)).count();
    assert_eq!(count("pay "), REPLIES * 3, "each payment has one key");
    let results: String = ended.messages().iter().map(Message::text).collect();
    for (effect, result, calls) in [
        ("charge ", "\"charged\"", REPLIES * 9),
        ("refund ", "\"refunded\"", REPLIES * 2),
        ("wrap ", "\"wrapped\"", REPLIES),
    ] {
        // An interrupted call has an effect, or none if its process was killed before.
        let range = results.matches(result).count()..=calls;
        assert!(range.contains(&count(effect)), "{effect}: {} of {range:?}", count(effect));
    }

    // The journal alone has the whole session.
    let mut first = files.load("first.json").expect("it was stored");
    let journal = FileJournal::open(files.folder.join("journal")).expect("a journal");
    let registry = registry(files);
    let run = first.run(&registry).max_replies(usize::MAX).journal(&journal);
    let end = run.complete(async |_| Err::<AssistantMessage, _>("the model is not asked")).await;
    assert_eq!(end.expect("all is recorded"), RunEnd::Answered);
    assert_eq!(first.messages(), ended.messages());
}
