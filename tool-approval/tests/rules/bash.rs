//! Shells judge the reader: if a shell runs the denied program, the call was denied or a person was asked.
//!
//! `RULES_SHELL_ROUNDS` sets the number of scripts.

use super::scripts::{mutated, script};
use super::{Judge, rounds, rules, seeded};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Programs that scripts may run. They are harmless in a folder of their own.
const PROGRAMS: &[&str] = &["bash", "sh", "cat", "env", "find", "nice", "nohup", "timeout", "xargs"];

/// A folder with programs, of which `rm` only writes a mark.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("rules-{}", std::process::id()));
        fs::create_dir_all(folder.join("work")).expect("the folder is writable");
        fs::create_dir_all(folder.join("bin")).expect("the folder is writable");
        Folder(folder)
    }

    fn mark(&self) -> PathBuf {
        self.0.join("mark")
    }

    fn work(&self) -> PathBuf {
        self.0.join("work")
    }

    /// Runs a script, and returns whether it has run `rm`.
    fn runs_program(&self, shell: &str, script: &str) -> bool {
        let _ = fs::remove_file(self.mark());
        let _ = fs::remove_dir_all(self.work());
        fs::create_dir_all(self.work()).expect("the folder is writable");
        let mut command = Command::new(shell);
        command.arg("-c").arg(script).current_dir(self.work()).env_clear().env("PATH", self.0.join("bin"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(child) = command.spawn() else { return false };
        wait(child);
        self.mark().exists()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Waits for a shell, and ends it if it takes long.
fn wait(mut child: Child) {
    let start = Instant::now();
    while let Ok(None) = child.try_wait() {
        if start.elapsed() > Duration::from_secs(2) {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The path of a program.
fn find(name: &str) -> Option<PathBuf> {
    ["/bin", "/usr/bin"].iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
}

#[cfg(unix)]
fn install(folder: &Folder) -> std::io::Result<()> {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    for program in PROGRAMS {
        if let Some(path) = find(program) {
            symlink(path, folder.0.join("bin").join(program))?;
        }
    }
    let program = folder.0.join("bin").join("rm");
    fs::write(&program, format!("#!/bin/sh\n: > '{}'\n", folder.mark().display()))?;
    fs::set_permissions(program, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn install(_: &Folder) -> std::io::Result<()> {
    Err(std::io::Error::other("only Unix has these shells"))
}

#[tokio::test]
async fn a_program_that_a_shell_runs_is_denied_or_asks() {
    let folder = Folder::new();
    if let Err(error) = install(&folder) {
        println!("skipped: the programs cannot be installed: {error}");
        return;
    }
    let mut random = seeded();
    let judge = Judge::denying_rm();
    // Without a rule that denies, so that only the form of the text decides.
    let harmless = ["echo *", "cat *", "true *", "x *", "for *", "A*", "{*"];
    let command = |pattern: &str| json!({"tool": "run_command", "arguments": {"command": pattern}});
    let harmless = Judge::new(rules(json!({
        "commands": [{"tool": "run_command", "argument": "command"}],
        "allow": harmless.map(command),
    })));
    for shell in ["bash", "dash"] {
        let Some(path) = find(shell).and_then(|path| path.to_str().map(str::to_owned)) else {
            println!("skipped: {shell} is not installed here");
            continue;
        };
        let (mut marked, count) = (0, rounds("RULES_SHELL_ROUNDS", 400));
        for round in 0..count {
            let script = if round % 4 == 0 { script(&mut random) } else { mutated(&mut random) };
            if script.contains('\0') {
                continue;
            }
            let verdict = judge.command(&script).await;
            let is_harmless = harmless.command(&script).await == "allowed";
            // Only these verdicts can be wrong, and the others are usual.
            let is_sample = round % 8 == 0;
            if !is_sample && !is_harmless && matches!(verdict, "denied" | "unclear") {
                continue;
            }
            if folder.runs_program(&path, &script) {
                marked += 1;
                assert!(matches!(verdict, "denied" | "unclear"), "{shell}: {verdict}: {script:?}");
                assert!(!is_harmless, "{shell}: allowed: {script:?}");
            }
        }
        println!("{shell}: {marked} scripts ran the program");
        assert!(marked > count / 32, "{shell} runs the program in some scripts");
    }
}
