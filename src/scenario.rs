//! Placeholder until the scenarios land.
/// .
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admits {
    /// .
    Prompt,
    /// .
    PromptPlusOutput,
}
/// .
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// .
    Strict,
    /// .
    Text,
}
