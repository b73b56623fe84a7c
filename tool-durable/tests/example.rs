//! The example `orders` as a process. Cargo builds it, unless it is in the folder `BUILT_EXAMPLES`.

use std::path::Path;
use std::process::Command;

fn orders() -> Command {
    if let Some(folder) = std::env::var_os("BUILT_EXAMPLES") {
        return Command::new(Path::new(&folder).join("orders"));
    }
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", "tool-runtime-durable", "--example", "orders"]);
    // Variables of the test package would make build scripts that read them run again.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

#[test]
fn each_order_is_charged_once_whenever_the_process_ends() {
    for _ in 0..3 {
        let output = orders().output().expect("the example runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        // The first line is the seed.
        println!("{stdout}{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success());
        let count = |line: &str| stdout.lines().filter(|text| text.starts_with(line)).count();
        assert_eq!(count("  *** the process ends here"), count("process ") - 1);
        assert_eq!(count("  All orders are charged."), 1);
        let (_, charges) = stdout.split_once("the charges of 5 orders:\n").expect("the charges are printed");
        let mut orders: Vec<&str> = charges.lines().filter_map(|line| line.split(',').next()).collect();
        orders.sort_unstable();
        assert_eq!(orders, ["  order 1", "  order 2", "  order 3", "  order 4", "  order 5"]);
    }
}
