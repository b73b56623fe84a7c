//! Opens a history in a browser: `tool-inspector history.json`.

use std::env::args;
use std::fs;
use std::io::{self, Read as _};
use std::process::ExitCode;
use tokio::net::TcpListener;
use tool_runtime_inspector::Inspector;

const USAGE: &str = "usage: tool-inspector [--port PORT] [HISTORY]

Shows a history on a page: a stored session, a list of messages, or the body of a request of any provider, as JSON. HISTORY is a
file, or - for the standard input. Without it, the page opens files and pasted texts.

  --port PORT  the port of the page at 127.0.0.1 (default: a free one)";

struct Options {
    port: u16,
    history: Option<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let options = match parse(args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// `None` if the user asks for help.
fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options { port: 0, history: None };
    while let Some(arg) = args.next() {
        match &*arg {
            "-h" | "--help" => return Ok(None),
            "--port" => {
                let port = args.next().ok_or("--port needs a number")?;
                options.port = port.parse().map_err(|_| format!("{port} is not a port"))?;
            }
            option if option.starts_with('-') && option != "-" => {
                return Err(format!("there is no option {option}"));
            }
            _ if options.history.is_some() => return Err("there is more than one history".to_owned()),
            _ => options.history = Some(arg),
        }
    }
    Ok(Some(options))
}

async fn run(options: Options) -> Result<(), String> {
    let mut inspector = Inspector::without_tools();
    if let Some(path) = options.history {
        let text = read(&path).map_err(|error| format!("{path} cannot be read: {error}"))?;
        inspector = inspector.title(path).history(text);
    }
    let listener = TcpListener::bind(("127.0.0.1", options.port)).await;
    let listener = listener.map_err(|error| format!("cannot listen at port {}: {error}", options.port))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    println!("Open http://{address} and press Ctrl-C to stop.");
    inspector.serve_listener(listener).await.map_err(|error| error.to_string())
}

/// Text in another encoding is read as far as possible, since the page can show it.
fn read(path: &str) -> io::Result<String> {
    let mut bytes = Vec::new();
    if path == "-" {
        io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = fs::read(path)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
