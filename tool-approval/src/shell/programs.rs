//! Programs that run other programs.
//!
//! The lists contain the programs of usual systems, and words of shells. A program that is missing here hides the command that it
//! runs.

use super::list::Word;

/// Programs that run a program whose name is one of their arguments. The options in front of it are not parsed: each later word may
/// be the program.
#[rustfmt::skip]
const WRAPPERS: &[&str] = &[
    "arch", "builtin", "busybox", "bwrap", "caffeinate", "cgexec", "choom", "chpst", "chroot", "chrt",
    "command", "coproc", "cpulimit", "dbus-run-session", "doas", "entr", "env", "exec", "fakeroot",
    "faketime", "firejail", "flock", "genv", "gnice", "gnohup", "gtimeout", "hyperfine", "i386", "ionice",
    "linux32", "linux64", "ltrace", "nice", "nocorrect", "noglob", "nohup", "nsenter", "numactl",
    "parallel", "perf", "pkexec", "prlimit", "proot", "proxychains", "proxychains4", "repeat", "rlwrap",
    "runuser", "script", "setarch", "setpriv", "setsid", "softlimit", "ssh", "start-stop-daemon", "stdbuf",
    "strace", "su", "sudo", "systemd-run", "taskset", "time", "timeout", "torsocks", "toybox", "unbuffer",
    "unshare", "valgrind", "watch", "xvfb-run",
];

/// Shells: an argument is the name of a script or, after `-c`, the script itself.
#[rustfmt::skip]
const SHELLS: &[&str] = &[
    ".", "ash", "bash", "dash", "fish", "ksh", "ksh93", "mksh", "rbash", "rksh", "sh", "source", "yash",
    "zsh",
];

/// Programs one of whose arguments may be a script.
#[rustfmt::skip]
const TAKE_SCRIPTS: &[&str] = &[
    "flock", "hyperfine", "parallel", "runuser", "screen", "script", "ssh", "su", "tmux", "trap", "watch",
];

/// Programs that run commands which their arguments do not show, such as those of the standard input, or that evaluate their
/// arguments in a way that is not read here.
#[rustfmt::skip]
const OPAQUE: &[&str] = &[
    "alias", "at", "batch", "bind", "chroot", "cmd", "compgen", "complete", "crontab", "csh", "enable",
    "entr", "fakeroot", "fc", "firejail", "fish", "hash", "let", "mapfile", "nsenter", "parallel",
    "powershell", "proot", "pwsh", "readarray", "runuser", "screen", "script", "ssh", "su", "tcsh", "tmux",
    "unshare",
];

/// Options of `find` and `fd` before a program.
const EXECUTES: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// Whether an argument of the program may be a script.
pub(super) fn takes_scripts(name: &str) -> bool {
    is_shell(name) || TAKE_SCRIPTS.contains(&name)
}

/// Whether a later word may be the name of a program that runs.
pub(super) fn runs_words(name: &str, arguments: &[Word]) -> bool {
    // `command -v` prints where a program is.
    let only_shows =
        name == "command" && arguments.first().is_some_and(|word| matches!(&*word.text, "-v" | "-V"));
    let is_wrapper = WRAPPERS.contains(&name) || is_shell(name) || name.starts_with("ld-linux");
    (is_wrapper && !only_shows) || adds_words(name, arguments)
}

/// Whether the program adds words to the command that it runs.
pub(super) fn adds_words(name: &str, arguments: &[Word]) -> bool {
    match name {
        "xargs" | "gxargs" => true,
        "find" | "gfind" | "fd" | "fdfind" => arguments.iter().any(|word| match word.unknown {
            None => EXECUTES.contains(&&*word.text),
            Some(at) => EXECUTES.iter().any(|option| option.starts_with(&word.text[..at])),
        }),
        _ => false,
    }
}

/// Why the commands that a program runs do not show, if it is not a shell.
pub(super) fn doubt(name: &str, arguments: &[Word]) -> Option<&'static str> {
    let has = |is: fn(&str) -> bool| arguments.iter().any(|word| is(&word.text));
    let is_doubtful = match name {
        "env" | "genv" => {
            has(|word| word.starts_with('-') && (word.contains('S') || word.starts_with("--s")))
        }
        "xargs" | "gxargs" => {
            has(|word| ["-I", "-i", "-J", "--r"].iter().any(|option| word.starts_with(option)))
        }
        "find" | "gfind" | "fd" | "fdfind" => {
            let is_replaced =
                |pair: &[Word]| EXECUTES.contains(&&*pair[0].text) && pair[1].text.contains("{}");
            arguments.windows(2).any(is_replaced)
        }
        "sudo" | "doas" => starts_shell(arguments),
        _ => OPAQUE.contains(&name),
    };
    is_doubtful.then_some("a program in the command runs others that are unknown, or evaluates its arguments")
}

/// Whether an option of `sudo` starts a shell, which may read the standard input.
fn starts_shell(arguments: &[Word]) -> bool {
    let mut follows_option = true;
    for word in arguments {
        let is_option = word.text.starts_with('-');
        if !is_option && !follows_option {
            return false;
        }
        let is_long = word.text.starts_with("--");
        if (is_long && ["--shell", "--login"].iter().any(|option| option.starts_with(&word.text)))
            || (is_option && !is_long && word.text.contains(['s', 'i']))
        {
            return true;
        }
        follows_option = is_option;
    }
    false
}
