//! Random sessions, marks and settings.

use super::{bytes, notice, session};
use std::io;
use tool_runtime::history::Trimmed;
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::session::{Compact as _, CompactReason};
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};
use tool_runtime::{AssistantMessage, Conversation, Registry, Session, ToolCall, ToolMessage, tools};
use tool_runtime_compaction::Compaction;
use tool_runtime_testing::ScriptedModel;

const SUMMARY: &str = "Summary of earlier messages, which were removed:";
const REMOVED: &str = "Earlier messages were removed.";

fn is_summary(message: &Message) -> bool {
    message.text().starts_with(SUMMARY) || message.text().starts_with(REMOVED)
}

/// Text with a number, so that each message differs from the others.
fn text(random: &mut fastrand::Rng, number: &mut usize) -> String {
    *number += 1;
    let pin = if random.usize(0..12) == 0 { "pinned " } else { "" };
    format!("{pin}{number} {}", "text ".repeat(random.usize(0..80)))
}

fn messages(random: &mut fastrand::Rng, number: &mut usize, handles: &mut usize) -> Vec<Message> {
    let mut messages = Vec::new();
    for _ in 0..random.usize(1..30) {
        match random.usize(0..8) {
            0 => messages.push(Message::developer(text(random, number))),
            1 | 2 => messages.push(Message::user(text(random, number))),
            3 => messages.push(Message::assistant(text(random, number))),
            _ => {
                let ids: Vec<String> =
                    (0..random.usize(1..4)).map(|id| format!("call_{number}_{id}")).collect();
                let calls = ids.iter().map(|id| ToolCall::new(id, "look", "{}"));
                messages.push(AssistantMessage::from_tool_calls(calls).into());
                for id in ids {
                    let mut result = text(random, number);
                    if random.usize(0..4) == 0 {
                        *handles += 1;
                        result = format!("{result}\n{}\n", notice(&format!("h{handles}")));
                    }
                    messages.push(
                        match random.usize(0..6) {
                            0 => ToolMessage::error(id, result),
                            1 => ToolMessage::new(
                                id,
                                Content::from_parts([Part::text(result), Part::image("image/png", [1, 2])]),
                            ),
                            _ => ToolMessage::new(id, result),
                        }
                        .with_tool("look")
                        .into(),
                    );
                }
            }
        }
    }
    messages
}

struct Case {
    keep_replies: usize,
    lower: usize,
    before: Vec<Message>,
}

impl Case {
    fn check(&self, session: &Session, compacted: Option<&Trimmed>) {
        let after = session.messages();
        let _ = Conversation::try_from(after.to_vec()).expect("the messages stay valid");
        let Some(trimmed) = compacted else {
            assert_eq!(after, self.before);
            return;
        };
        let size: usize = after.iter().map(bytes).sum();
        assert_eq!(trimmed.is_within_budget, size <= self.lower);
        // Each message stays, is removed, or is a result that became a notice.
        let mut removed = trimmed.removed.iter().peekable();
        let mut truncated = trimmed.truncated.iter().peekable();
        let mut after =
            after.iter().filter(|message| !is_summary(message) || !trimmed.removed.is_empty()).peekable();
        let mut summaries = 0;
        for message in &self.before {
            while let Some(summary) = after.next_if(|message| is_summary(message)) {
                assert!(matches!(summary, Message::User(_)));
                summaries += 1;
            }
            if removed.next_if(|removed| *removed == message).is_some() {
                continue;
            }
            if is_summary(message) && trimmed.removed.is_empty() {
                continue;
            }
            let left = after.next().expect("the message stays");
            match (truncated.peek(), message) {
                (Some(original), Message::Tool(result)) if *original == result => {
                    truncated.next();
                    assert!(left.text().len() < message.text().len());
                }
                _ => assert_eq!(left, message),
            }
        }
        assert_eq!((removed.count(), truncated.count()), (0, 0));
        if !trimmed.removed.is_empty() {
            assert_eq!((summaries, after.count()), (1, 0));
        }
        self.check_kept(trimmed);
    }

    fn check_kept(&self, trimmed: &Trimmed) {
        for message in &trimmed.removed {
            assert!(!matches!(message, Message::System(_) | Message::Developer(_)));
            assert!(!message.text().contains("pinned") || is_summary(message), "{message:?}");
        }
        assert!(trimmed.truncated.iter().all(|result| !result.text().contains("pinned")));
        // The newest replies, with all that follows them.
        let replies =
            self.before.iter().enumerate().filter(|(_, message)| matches!(message, Message::Assistant(_)));
        let newest =
            replies.rev().take(self.keep_replies).last().map_or(self.before.len(), |(index, _)| index);
        for message in self.before[newest..].iter().filter(|message| !is_summary(message)) {
            assert!(!trimmed.removed.contains(message), "{message:?}");
            assert!(!matches!(message, Message::Tool(result) if trimmed.truncated.contains(result)));
        }
    }
}

fn wires() -> Vec<Box<dyn Wire>> {
    vec![
        Box::new(ChatCompletions::new()),
        Box::new(Anthropic::new()),
        Box::new(Bedrock::new()),
        Box::new(Gemini::new()),
        Box::new(GeminiInteractions::new()),
        Box::new(Ollama::new()),
        Box::new(Responses::new()),
    ]
}

#[tokio::test]
async fn every_message_stays_or_is_reported() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let registry = Registry::new(tools![]).expect("there are no tools");
    for _ in 0..60 {
        let (mut number, mut handles) = (0, 0);
        let mut session = session(messages(&mut random, &mut number, &mut handles));
        for _ in 0..4 {
            let before = session.messages().to_vec();
            let size: usize = before.iter().map(bytes).sum();
            let (upper, keep_replies) = (random.usize(0..=size), random.usize(1..6));
            let lower = random.usize(0..=upper);
            let has_summary = random.bool();
            let mut compaction = Compaction::above(upper, bytes)
                .down_to(lower)
                .keep_replies(keep_replies)
                .pin(|message| message.text().contains("pinned"));
            if has_summary {
                compaction =
                    compaction.summarise(|_| async { Ok::<_, io::Error>("They talked.".to_owned()) });
            }
            let compacted = compaction.compact(&mut session, CompactReason::BeforeRequest).await;
            let compacted = compacted.expect("the summary has no error");
            assert!(size > upper || compacted.is_none());
            Case { keep_replies, lower, before }.check(&session, compacted.as_ref());
            let all: String = session.messages().iter().map(Message::text).collect();
            for handle in 1..=handles {
                assert!(all.contains(&format!("\"h{handle}\"")), "h{handle} is lost");
            }
            let request = |session: &Session| Conversation::try_from(session.messages().to_vec());
            let mut conversation = request(&session).expect("the messages stay valid");
            if !matches!(session.messages().last(), Some(Message::User(_) | Message::Tool(_))) {
                conversation = conversation.user("Go on.");
            }
            for wire in wires() {
                let name = wire.name();
                let model = ScriptedModel::new([AssistantMessage::from_text("Done.")]);
                let request = conversation.request(&registry).wire(wire);
                if let Err(error) = model.complete(request).await {
                    panic!("{name}: {error}");
                }
            }
            let more = messages(&mut random, &mut number, &mut handles);
            session.edit(|messages| messages.extend(more)).expect("the messages are valid");
        }
    }
}
