//! Shell commands worth remembering.

use super::Draft;
use super::source;
use crate::log::Call;
use crate::truth::FactKind;

/// Looking around and shell grammar are not knowledge: nobody needs to remember an `ls`.
const LOOKING: [&str; 25] = [
    "#", "kill", "for", "while", "if", "ls", "cat", "head", "tail", "echo", "sleep", "mkdir", "cd",
    "pwd", "wc", "which", "printf", "grep", "rg", "find", "sed", "awk", "tree", "stat", "file",
];

/// Where the part of a command that a needle can hold ends: quotes and line ends
/// are escaped in recorded arguments, pipes and redirections vary from run to run.
const ENDS: [&str; 13] =
    ["\n", "\"", "\\", "$(", "@{", " | ", "; ", " 2>", " > ", " >/", " <<", " -H ", " -d "];

/// The command of a call, as far as it says what is run.
pub(super) fn of(call: &Call) -> Option<Draft> {
    let command = source::argument(call, &["command", "cmd"])?;
    let command = command.split(" && ").map(str::trim).find(|part| !is_looking(part))?;
    let end = ENDS.iter().filter_map(|end| command.find(end)).min().unwrap_or(command.len());
    let is_cut = end < command.len();
    let mut command = command[..end].trim_end();
    // `git commit -m "..."` was cut at its quote: the flag alone says nothing.
    while let Some((rest, last)) = command.rsplit_once(' ')
        && is_cut
        && (last.starts_with('-') || last.ends_with('='))
    {
        command = rest.trim_end();
    }
    let telling = (12..=120).contains(&command.len()) && command.contains(' ');
    telling.then(|| Draft::code(FactKind::Command, command))
}

fn is_looking(command: &str) -> bool {
    command.split_whitespace().next().is_none_or(|word| LOOKING.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{CallId, Text};

    #[test]
    fn a_command_is_what_is_run() {
        for (command, expected) in [
            ("cargo test --lib irrigate", Some("cargo test --lib irrigate")),
            ("cd /tmp/x && go test ./... 2>&1 | tail -5", Some("go test ./...")),
            ("git commit -m \"water\"", None),
            ("npm run build --watch -q", Some("npm run build --watch -q")),
            ("ls -la /somewhere/else", None),
            ("make", None),
        ] {
            let args = serde_json::json!({ "command": command }).to_string();
            let call = Call { id: CallId::new("a"), name: Text::from("Bash"), args: args.into() };
            let found = of(&call).map(|draft| draft.statement);
            assert_eq!(found.as_deref(), expected, "{command}");
        }
    }
}
