//! Shell commands worth remembering.

use super::Draft;
use super::data::ARTIFACTS;
use crate::log::Call;
use crate::truth::FactKind;

pub(super) fn of(call: &Call) -> Option<Draft> {
    let command = super::argument(call, &["command", "cmd"])?;
    let command = command.split(" && ").map(str::trim).find(|part| !is_looking(part))?;
    let ends = ARTIFACTS.commands.ends.iter().filter_map(|end| command.find(end));
    let end = ends.min().unwrap_or(command.len());
    let is_cut = end < command.len();
    let mut command = command[..end].trim_end();
    // `git commit -m "..."` was cut at its quote: the flag alone says nothing.
    while let Some((rest, last)) = command.rsplit_once(' ')
        && is_cut
        && (last.starts_with('-') || last.ends_with('='))
    {
        command = rest.trim_end();
    }
    // A short one says something only if it is whole.
    let shortest = if is_cut { 12 } else { 8 };
    let telling = (shortest..=120).contains(&command.len()) && command.contains(' ');
    telling.then(|| Draft::code(FactKind::Command, command))
}

fn is_looking(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let (Some(first), second) = (words.next(), words.next().unwrap_or_default()) else {
        return true;
    };
    let commands = &ARTIFACTS.commands;
    let edits = first == "sed" && second.starts_with("-i");
    let asks = commands.asking.get(first).is_some_and(|verbs| verbs.contains(second));
    asks || commands.looking.contains(first) && !edits
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
            ("git log --oneline -20", None),
            ("sed -n 1,20p pump.conf", None),
            ("sed -i s/old/new/ pump.conf", Some("sed -i s/old/new/ pump.conf")),
            ("make check", Some("make check")),
            ("make", None),
        ] {
            let args = serde_json::json!({ "command": command }).to_string();
            let call = Call { id: CallId::new("a"), name: Text::from("Bash"), args: args.into() };
            let found = of(&call).map(|draft| draft.statement);
            assert_eq!(found.as_deref(), expected, "{command}");
        }
    }
}
