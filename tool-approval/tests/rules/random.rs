//! A denied program in random constructs is never allowed, whatever else is allowed.

use super::scripts::script;
use super::{Judge, rounds, seeded};

#[tokio::test]
async fn a_hidden_program_is_denied_or_asks() {
    let mut random = seeded();
    let judge = Judge::denying_rm();
    let count = rounds("RULES_ROUNDS", 3_000);
    let mut denied = 0;
    for _ in 0..count {
        let script = script(&mut random);
        match judge.command(&script).await {
            "denied" => denied += 1,
            "unclear" => {}
            verdict => panic!("{verdict}: {script:?}"),
        }
    }
    println!("{denied} of {count} are denied, and the others are unclear");
    assert!(denied * 2 > count, "most scripts can be read: {denied} of {count}");
}
