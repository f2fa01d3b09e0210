//! What is asked: a prompt as a canonical request.

use crate::cassette::{CanonicalMessage, CanonicalRequest};
use crate::live::endpoint::Terms;
use crate::prelude::*;

/// A prompt in the form in which every server takes it, whoever it is.
///
/// A tool's result without the call that it answers is refused by providers that pair
/// ids, and a request shows results as text: they are sent as the user's. Neighbours of
/// one role are joined with an empty line between them, since the templates of several
/// models want roles to alternate; messages without words are left out.
pub fn canonical(prompt: &Prompt, terms: &Terms) -> CanonicalRequest {
    let mut messages: Vec<CanonicalMessage> = Vec::new();
    let system = prompt.system.iter().map(|text| (Role::System, text.to_string()));
    let rest = prompt.messages.iter().map(|message| (message.role, message.text()));
    for (role, text) in system.chain(rest).filter(|(_, text)| !text.trim().is_empty()) {
        let role = if role == Role::Tool { Role::User } else { role };
        match messages.last_mut() {
            Some(last) if last.role == role => {
                last.text.push_str("\n\n");
                last.text.push_str(&text);
            }
            _ => messages.push(CanonicalMessage { role, text }),
        }
    }
    CanonicalRequest {
        model: terms.model_for(prompt.model.as_deref()).to_owned(),
        messages,
        max_tokens: prompt.max_tokens.0,
        temperature: terms.temperature,
        seed: terms.seed.wrapping_add(u64::from(prompt.replicate)),
        replicate: prompt.replicate,
    }
}

/// Reference tokens of all messages.
pub fn tokens(request: &CanonicalRequest) -> u64 {
    request.messages.iter().map(|message| Tokenizer::O200k.count(&message.text).0).sum()
}

/// A request in words, so that a reader can find out where it comes from.
pub(super) fn describe(request: &CanonicalRequest) -> String {
    let spoken = request.messages.iter().find(|message| message.role != Role::System);
    let text = spoken.or(request.messages.first()).map_or("", |message| &*message.text);
    format!(
        "request {} of model `{}` (replicate {}, {} tokens in {} messages, {} to answer) that \
         begins \"{}\"",
        request.key(),
        request.model,
        request.replicate,
        tokens(request),
        request.messages.len(),
        request.max_tokens,
        beginning(text, 80)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Endpoint;
    use crate::log::Text;
    use crate::summarize::{PromptMessage, Segment};

    fn message(role: Role, text: &str) -> PromptMessage {
        PromptMessage { role, segments: vec![Segment { text: Text::from(text), material: true }] }
    }

    #[test]
    fn roles_alternate_and_results_are_the_users() {
        let prompt = Prompt {
            system: Some("be brief".into()),
            messages: vec![
                message(Role::User, "one"),
                message(Role::Assistant, "  "),
                message(Role::Tool, "two"),
                message(Role::Assistant, "three"),
                message(Role::User, "four"),
            ],
            max_tokens: Tokens(50),
            model: Some("forge-threshold".to_owned()),
            replicate: 2,
        };
        let models = [("forge-threshold".to_owned(), "small".to_owned())].into();
        let model = Some("large".to_owned());
        let endpoint = Endpoint { model, models, seed: 5, ..Endpoint::default() };
        let request = canonical(&prompt, &endpoint.terms().expect("sound"));
        let messages: Vec<(Role, &str)> =
            request.messages.iter().map(|message| (message.role, &*message.text)).collect();
        let expected = [
            (Role::System, "be brief"),
            (Role::User, "one\n\ntwo"),
            (Role::Assistant, "three"),
            (Role::User, "four"),
        ];
        assert_eq!(messages, expected);
        assert_eq!((&*request.model, request.max_tokens), ("small", 50));
        assert_eq!((request.seed, request.replicate), (7, 2));
    }
}
