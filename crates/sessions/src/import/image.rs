//! Tokens of an image by the provider's rule.

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

use crate::prelude::*;

/// Stands for an image: its tokens are a matter of pixels, not of text.
pub(super) const MARK: &str = "[image]";

/// Of an image of unknown size: one that fills Anthropic's limit.
pub(super) const UNKNOWN: Tokens = Tokens(1_600);

/// Base64 digits that hold the size of an image: its header.
const HEADER: usize = 32 * 1024;
const PIXELS_PER_TOKEN: f64 = 750.0;
const LONGEST_EDGE: f64 = 1_568.0;

/// Width by height, over 750, at most 1,600: Anthropic, "Vision", "Calculate image costs". Larger
/// images are scaled down to an edge of 1,568 pixels first.
pub(super) fn tokens(base64: &str) -> Tokens {
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, LENIENT);
    let digits = base64.split_once("base64,").map_or(base64, |(_, digits)| digits).as_bytes();
    let head = &digits[..digits.len().min(HEADER)];
    let Ok(bytes) = engine.decode(head) else { return UNKNOWN };
    let Ok(size) = imagesize::blob_size(&bytes) else { return UNKNOWN };
    let (width, height) = (size.width as f64, size.height as f64);
    let scale = (LONGEST_EDGE / width.max(height)).min(1.0);
    let tokens = (width * scale * height * scale / PIXELS_PER_TOKEN).round() as u64;
    Tokens(tokens).min(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_costs_its_pixels_and_at_most_the_limit() {
        let png = |width: u32, height: u32| {
            let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
            bytes.extend(width.to_be_bytes().into_iter().chain(height.to_be_bytes()));
            bytes.extend([8, 6, 0, 0, 0, 0, 0, 0, 0]);
            base64::engine::general_purpose::STANDARD.encode(bytes)
        };
        assert_eq!(tokens(&png(750, 100)), Tokens(100));
        assert_eq!(tokens(&format!("data:image/png;base64,{}", png(200, 200))), Tokens(53));
        // Three thousand pixels wide: scaled to 1,568 by 523.
        assert_eq!(tokens(&png(3_000, 1_000)), Tokens(1_093));
        assert_eq!(tokens(&png(4_000, 4_000)), UNKNOWN);
        assert_eq!(tokens("no image"), UNKNOWN);
    }
}
