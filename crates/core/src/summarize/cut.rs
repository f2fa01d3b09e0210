//! Texts cut to a number of tokens.

use crate::token::Tokenizer;
use crate::unit::Tokens;

/// The text cut to this many tokens: at the last line, else word, else character.
pub fn cut_within(mut text: String, most: Tokens) -> String {
    text.truncate(text.trim_end().len());
    if most == Tokens::ZERO {
        return String::new();
    }
    // A token is at least a byte, at most 128 of them.
    let longest = usize::try_from(most.0).unwrap_or(usize::MAX).saturating_mul(128);
    text.truncate(text.floor_char_boundary(longest));
    while text.len() as u64 > most.0 {
        let count = Tokenizer::O200k.count(&text);
        if count <= most {
            break;
        }
        // In proportion, and always by a byte at least, so that this ends.
        let target = (text.len() as f64 * most.over(count)) as usize;
        let target = text.floor_char_boundary(target.min(text.len() - 1));
        let end = ['\n', ' ']
            .into_iter()
            .find_map(|gap| text[..target].rfind(gap).filter(|&end| end >= target / 2))
            .unwrap_or(target);
        text.truncate(text[..end].trim_end().len());
    }
    text
}
