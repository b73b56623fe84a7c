//! `kill -9`.

use crate::child::{Child, Role};
use crate::folder::Folder;
use crate::records::{Random, call, find_call, key, result, same};
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;
use tool_runtime_durable::FileJournal;

#[tokio::test]
async fn each_operation_that_was_ready_is_recorded_after_a_kill_at_any_moment() {
    const SEED: u64 = 27;
    println!("seed {SEED}");
    let mut random = Random(SEED);
    let folder = Folder::new("kill");
    // Whether each call has finished.
    let mut recorded = BTreeMap::new();
    for round in 0..20 {
        let mut child = Child::start(Role::Calls, &folder.journal());
        // The first kills arrive while the file is created.
        let lines = if round < 3 { 0 } else { random.below(30) };
        let mut printed: Vec<String> = (0..lines).map(|_| child.next_line()).collect();
        thread::sleep(Duration::from_micros(random.below(8000) as u64));
        printed.extend(child.kill());
        for line in printed {
            let (event, position) = line.split_once(' ').expect("an event and a position");
            recorded.insert(position.parse::<usize>().expect("a position"), event == "finished");
        }
        let journal = FileJournal::open(folder.journal()).unwrap();
        for (&position, &finished) in &recorded {
            let key = key("run", 0, position);
            let found = find_call(&journal, &key).await.unwrap();
            let found = found.unwrap_or_else(|| panic!("round {round}: the call {position} is lost"));
            assert_eq!(found.call, call("run", 0, position));
            match found.result {
                Some(found) => assert!(same(&found, &result(&key)), "round {round}: {found:?}"),
                None => assert!(!finished, "round {round}: the result of {position} is lost"),
            }
        }
    }
    assert!(recorded.len() > 20, "{} calls were recorded", recorded.len());
}
