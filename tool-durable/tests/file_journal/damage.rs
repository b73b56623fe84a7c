//! Files that are truncated, or that have wrong bytes: an error, or a journal that has lost nothing.

use crate::folder::Folder;
use crate::records::{Random, begin, call, find_call, finish, key, process_file, reply, result, same};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tool_runtime_durable::{FileJournal, Journal, OpenError};

const CALLS: usize = 12;
const PAGE: usize = 4096;
const FLIPS: usize = 200;

/// A file with calls, of which those with an even position have finished, and its process file.
struct Original {
    file: Vec<u8>,
    process_file: Vec<u8>,
}

/// How many files were opened with each record, or recognised as damaged.
#[derive(Default, Debug)]
struct Outcomes(BTreeMap<&'static str, usize>);

impl Original {
    /// The files after the journal was closed, and those that a killed process leaves.
    async fn closed_and_killed(path: &Path) -> [(&'static str, Self); 2] {
        let journal = FileJournal::open(path).unwrap();
        journal.record_reply(&reply("run", 0, "I charge them.")).await.unwrap();
        for position in 0..CALLS {
            begin(&journal, &call("run", 0, position)).await;
            if position % 2 == 0 {
                finish(&journal, &key("run", 0, position)).await;
            }
        }
        let killed = Original::read(path);
        drop(journal);
        [("closed", Original::read(path)), ("killed", killed)]
    }

    fn read(path: &Path) -> Self {
        Original { file: fs::read(path).unwrap(), process_file: fs::read(process_file(path)).unwrap() }
    }

    /// The file with one wrong bit in the headers of the database, in a byte that is in use, or in any.
    fn with_wrong_bit(&self, flip: usize, random: &mut Random) -> (String, Vec<u8>) {
        let mut file = self.file.clone();
        let at = match flip % 3 {
            0 => random.below(320),
            1 => {
                let used: Vec<usize> = (0..file.len()).filter(|at| file[*at] != 0).collect();
                used[random.below(used.len())]
            }
            _ => random.below(file.len()),
        };
        let bit = random.below(8);
        file[at] ^= 1 << bit;
        (format!("bit {bit} of byte {at}"), file)
    }
}

impl Outcomes {
    /// Opens a file, which has to be recognised as damaged, or to have each record.
    async fn check(&mut self, path: &Path, damage: &str) {
        self.check_except(path, damage, 0).await;
    }

    /// As `check`, but this number of the last calls may be missing.
    async fn check_except(&mut self, path: &Path, damage: &str, may_miss: usize) {
        let outcome = match FileJournal::open(path) {
            Ok(journal) if read_records(&journal, damage, may_miss).await => "complete",
            Ok(_) => "incomplete",
            Err(OpenError::Damaged { .. }) => "damaged",
            Err(OpenError::OtherVersion { .. }) => "other version",
            Err(error) => panic!("{damage}: {error:?}"),
        };
        *self.0.entry(outcome).or_default() += 1;
    }

    fn count(&self, outcome: &str) -> usize {
        self.0.get(outcome).copied().unwrap_or(0)
    }
}

/// Writes new files: some systems sync a file whose content is replaced, which takes longer than the test.
fn write(path: &Path, file: &[u8], process_record: Option<&[u8]>) {
    for path in [path, &process_file(path)] {
        if path.exists() {
            fs::remove_file(path).unwrap();
        }
    }
    fs::write(path, file).unwrap();
    if let Some(record) = process_record {
        fs::write(process_file(path), record).unwrap();
    }
}

/// Checks each record, and returns whether none is missing.
async fn read_records(journal: &FileJournal, damage: &str, may_miss: usize) -> bool {
    let mut found_calls = 0;
    for position in 0..CALLS {
        let key = key("run", 0, position);
        let found = find_call(journal, &key).await.unwrap_or_else(|error| panic!("{damage}: {error}"));
        let Some(found) = found else {
            assert!(position >= CALLS - may_miss, "{damage}: the call {position} is lost");
            continue;
        };
        assert_eq!(found.call, call("run", 0, position), "{damage}");
        assert_eq!(found.result.is_some(), position % 2 == 0, "{damage}: the result of {position}");
        assert!(found.result.is_none_or(|found| same(&found, &result(&key))), "{damage}: {position}");
        found_calls += 1;
    }
    let found = journal.find_reply("run", 0).await.unwrap_or_else(|error| panic!("{damage}: {error}"));
    assert_eq!(found.expect("the reply is recorded").message.text(), "I charge them.", "{damage}");
    found_calls == CALLS
}

#[tokio::test]
async fn a_file_truncated_at_any_length_is_recognised_or_complete() {
    let folder = Folder::new("truncated");
    let path = folder.journal();
    for (state, original) in Original::closed_and_killed(&path).await {
        let length = original.file.len();
        // Each length of the first page; then the database looks only at the number of pages.
        let lengths = (0..=PAGE).chain((PAGE..=length).step_by(PAGE).flat_map(|page| page - 1..=page + 1));
        let mut outcomes = Outcomes::default();
        for length in lengths.filter(|shorter| *shorter <= length) {
            write(&path, &original.file[..length], Some(&original.process_file[..]));
            outcomes.check(&path, &format!("{state}, truncated to {length} bytes")).await;
        }
        println!("{state}: {length} bytes, {outcomes:?}");
        assert_eq!(outcomes.count("complete"), 1, "only the whole file is complete");
    }
}

#[tokio::test]
async fn a_file_with_a_wrong_bit_is_recognised_or_complete() {
    const SEED: u64 = 72;
    println!("seed {SEED}");
    let folder = Folder::new("wrong-bit");
    let path = folder.journal();
    for (state, original) in Original::closed_and_killed(&path).await {
        let mut random = Random(SEED);
        let mut outcomes = Outcomes::default();
        for flip in 0..FLIPS {
            let (damage, file) = original.with_wrong_bit(flip, &mut random);
            write(&path, &file, Some(&original.process_file[..]));
            outcomes.check(&path, &format!("{state}, {damage}")).await;
        }
        println!("{state}: {outcomes:?}");
        assert!(outcomes.count("complete") > 0 && outcomes.count("damaged") > 0, "{outcomes:?}");
    }
}

#[tokio::test]
async fn without_its_process_file_a_damaged_file_misses_at_most_the_last_commit() {
    const SEED: u64 = 73;
    println!("seed {SEED}");
    let folder = Folder::new("no-process-file");
    let path = folder.journal();
    for (state, original) in Original::closed_and_killed(&path).await {
        let mut random = Random(SEED);
        let mut outcomes = Outcomes::default();
        let pages = (0..original.file.len()).step_by(PAGE);
        let truncated = pages.map(|length| (format!("{length} bytes"), original.file[..length].to_vec()));
        let flipped: Vec<_> = (0..FLIPS).map(|flip| original.with_wrong_bit(flip, &mut random)).collect();
        for (damage, file) in truncated.chain(flipped) {
            write(&path, &file, None);
            outcomes.check_except(&path, &format!("{state}, {damage}"), 1).await;
        }
        println!("{state}: {outcomes:?}");
        assert!(outcomes.count("complete") > 0 && outcomes.count("damaged") > 0, "{outcomes:?}");
    }
}
