//! The tools of the agent and what their results look like, as `data/tools.toml` has it.

use crate::prelude::*;

static TOOLS: LazyLock<Tools> =
    LazyLock::new(|| crate::parsed("tools.toml", include_str!("data/tools.toml")));

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Tool {
    Read,
    Search,
    Edit,
    Test,
    Shell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Look {
    Source,
    Settings,
    Handbook,
    Hits,
    Tests,
    Log,
    Compiler,
    Diff,
    Listing,
    Json,
    /// A diff over several files.
    Patch,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    choices: Choices,
    tools: BTreeMap<Tool, ToolForm>,
    looks: BTreeMap<Look, LookForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Choices {
    pub small: Vec<(Look, u32)>,
    pub large: Vec<(Look, u32)>,
    pub huge: Vec<(Look, u32)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolForm {
    pub name: String,
    pub purpose: String,
    /// The first is what a call is about.
    pub parameters: Vec<String>,
    /// What stands between several things that one call is about.
    pub between: String,
    /// How the result of a call looks that needs a fact.
    pub look: Look,
    pub particulars: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LookForm {
    pub tool: Tool,
    /// Characters of a token.
    pub density: f64,
    /// What an ordinary call is about; empty where that is a file of the goal.
    #[serde(default)]
    pub target: String,
    /// One line, where there is little to say.
    pub brief: Vec<String>,
    pub failure: String,
    /// It fails behind its output.
    #[serde(default)]
    pub fails_late: bool,
}

impl Tool {
    pub fn form(self) -> &'static ToolForm {
        // OK because a test finds every tool.
        &TOOLS.tools[&self]
    }

    pub fn all() -> impl Iterator<Item = &'static ToolForm> {
        TOOLS.tools.values()
    }
}

impl Look {
    /// Whether it shows a file.
    pub fn is_file(self) -> bool {
        matches!(self, Look::Source | Look::Settings | Look::Handbook)
    }

    pub fn form(self) -> &'static LookForm {
        // OK because a test finds every look that is named anywhere.
        &TOOLS.looks[&self]
    }

    pub fn choices() -> &'static Choices {
        &TOOLS.choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_and_every_look_has_its_words() {
        assert_eq!(TOOLS.looks.len(), Look::Patch as usize + 1);
        assert_eq!(TOOLS.tools.len(), Tool::Shell as usize + 1);
        for (look, form) in &TOOLS.looks {
            let is_long = matches!(look, Look::Listing | Look::Json | Look::Patch);
            assert!(is_long || !form.brief.is_empty(), "{look:?}");
        }
    }
}
