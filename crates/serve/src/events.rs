//! Server-sent events: an answer in pieces.

use crate::prelude::Value;

/// Most bytes of a piece of text: several tokens, as a model sends them.
const PIECE: usize = 48;

/// A stream of events, as it is written.
#[derive(Default)]
pub(crate) struct Events(String);

impl Events {
    /// An event without a name.
    pub(crate) fn data(&mut self, data: &Value) {
        self.line(&data.to_string());
    }

    /// An event with the name that its data has as `type`.
    pub(crate) fn named(&mut self, data: &Value) {
        let name = data["type"].as_str().unwrap_or_default();
        self.0.push_str("event: ");
        self.0.push_str(name);
        self.0.push('\n');
        self.data(data);
    }

    /// The end of a stream of chat completions.
    pub(crate) fn done(&mut self) {
        self.line("[DONE]");
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }

    fn line(&mut self, data: &str) {
        self.0.push_str("data: ");
        self.0.push_str(data);
        self.0.push_str("\n\n");
    }
}

/// A text in pieces, which together are the text: cut before spaces where there are any.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let most = rest.ceil_char_boundary(PIECE);
        let gap = rest[..most].rfind(' ').filter(|&gap| most < rest.len() && gap > 0);
        let (piece, after) = rest.split_at(gap.unwrap_or(most));
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_text() {
        let long = "naïve façades — ".repeat(40);
        for text in ["", "a", &"x".repeat(500), &"語".repeat(99), &long, " lead", &" ".repeat(200)]
        {
            let pieces: Vec<&str> = pieces(text).collect();
            assert_eq!(pieces.concat(), text);
            assert!(pieces.iter().all(|piece| !piece.is_empty() && piece.len() <= PIECE + 3));
            assert_eq!(pieces.len() > 1, text.len() > PIECE + 3, "{text}");
        }
    }

    #[test]
    fn events_are_lines() {
        let mut events = Events::default();
        events.named(&serde_json::json!({ "type": "ping" }));
        events.done();
        assert_eq!(
            events.into_text(),
            "event: ping\ndata: {\"type\":\"ping\"}\n\ndata: [DONE]\n\n"
        );
    }
}
