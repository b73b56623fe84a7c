//! The programs as processes, against a stub server that rejects requests by the rules of the providers.

mod failures;
mod length;
mod process;
mod program;
mod stub;

use process::run;
use program::PROGRAMS;
use stub::{Behaviour, Server};

#[tokio::test]
async fn each_program_answers_and_the_server_rejects_nothing() {
    for program in PROGRAMS {
        let server = Server::start(Behaviour::Answers).await;
        let run = run(program, &server.url, 60).await;
        let name = program.name;
        assert_eq!(run.stderr, "", "{name}");
        assert_eq!(run.code, Some(0), "{name}: {}", run.stdout);
        assert!(
            run.stdout.contains("It is sunny.") && run.stdout.contains("the model answered"),
            "{}",
            run.stdout
        );
        assert_eq!(server.rejections(), Vec::<String>::new(), "{name}");
        let requests = server.requests();
        assert_eq!(requests.len(), 2, "{name}: calls, then the answer");
        // Exactly one result per call: the tool's, and an error for the tool that does not exist.
        let sent = requests[1].to_string();
        assert_eq!(sent.matches("Beijing: sunny, 25 degrees").count(), 1, "{name}: {sent}");
        assert_eq!(sent.matches("Call `get_weather` instead").count(), 1, "{name}: {sent}");
        assert_eq!(requests[0]["stream"] == true, name.ends_with("_streamed"), "{name}");
        println!("{name}: {}", run.stdout.trim_end());
    }
}
