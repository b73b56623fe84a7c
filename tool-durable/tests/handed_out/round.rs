//! A round: an agent with its worker, which are killed and started again until the agent has finished.

use crate::ledger::{self, Entry};
use crate::oracle::{self, Tally};
use crate::plan::{Kill, Plan, Target};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The variable of the environment that contains the settings of a process.
pub(crate) const SETTINGS: &str = "HAND_OUT_CHILD";

/// A round that takes longer hangs.
const TIME_LIMIT: Duration = Duration::from_secs(120);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) role: Role,
    pub(crate) folder: PathBuf,
    pub(crate) seed: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Role {
    Agent,
    Worker,
}

/// A command that starts this program in its role.
pub(crate) fn start(settings: &Settings) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    let stderr = OpenOptions::new().append(true).create(true).open(settings.folder.join("stderr"))?;
    let settings = serde_json::to_string(settings)?;
    command.args(["child", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env(SETTINGS, settings).stderr(stderr).stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}

pub(crate) fn play(folder: &Path, plan: Plan, tally: &mut Tally) -> Result<(), String> {
    let started = Instant::now();
    let mut agent = start_agent(folder, plan)?;
    for kill in plan.kills() {
        if !wait(folder, &kill, &mut agent, started)? {
            break;
        }
        if kill.target != Target::Agent && kill_worker(folder)? {
            tally.workers += 1;
        }
        if kill.target != Target::Worker {
            agent.kill().and_then(|()| agent.wait()).map_err(|error| error.to_string())?;
            tally.agents += 1;
            agent = start_agent(folder, plan)?;
        }
    }
    let status = wait_for_end(&mut agent, started)?;
    if !status.success() {
        return Err(format!("the agent fails: {status}"));
    }
    oracle::check(folder, tally)
}

fn start_agent(folder: &Path, plan: Plan) -> Result<Child, String> {
    let settings = Settings { role: Role::Agent, folder: folder.to_owned(), seed: plan.seed };
    start(&settings).and_then(|mut command| command.spawn()).map_err(|error| error.to_string())
}

/// Waits until it is time for the kill; `false` if the agent has ended before.
fn wait(folder: &Path, kill: &Kill, agent: &mut Child, started: Instant) -> Result<bool, String> {
    let until = ledger::entries(folder)?.len() + kill.entries;
    while ledger::entries(folder)?.len() < until {
        if agent.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok(false);
        }
        check_time(agent, started)?;
        sleep(Duration::from_micros(200));
    }
    sleep(kill.delay);
    Ok(agent.try_wait().map_err(|error| error.to_string())?.is_none())
}

fn wait_for_end(agent: &mut Child, started: Instant) -> Result<ExitStatus, String> {
    loop {
        if let Some(status) = agent.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        check_time(agent, started)?;
        sleep(Duration::from_millis(1));
    }
}

fn check_time(agent: &mut Child, started: Instant) -> Result<(), String> {
    if started.elapsed() < TIME_LIMIT {
        return Ok(());
    }
    let _ = agent.kill();
    Err("the round hangs".to_owned())
}

/// Kills the newest worker; `false` if none has started, or if it has ended already.
fn kill_worker(folder: &Path) -> Result<bool, String> {
    let entries = ledger::entries(folder)?;
    let newest = entries.iter().rev().find_map(|entry| match entry {
        Entry::Worker { process } => Some(process.to_string()),
        _ => None,
    });
    let Some(process) = newest else { return Ok(false) };
    let killed = Command::new("kill").args(["-9", &process]).stderr(Stdio::null()).status();
    killed.map(|status| status.success()).map_err(|error| error.to_string())
}
