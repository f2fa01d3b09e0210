//! The number behind a written figure, for sorting.

/// The figure that a field begins with, as the report writes them: `12.3k`, `−0.42`,
/// `$1.14`, `61% [42%, 70%]`, `<0.1%`. What is no figure, and what is undefined, has none.
///
/// It is read back from the writing, so the order of a column is that of what is shown.
pub fn value(text: &str) -> Option<f64> {
    let word = text.split_whitespace().next()?;
    let (scale, word) = match word.strip_prefix('<') {
        Some(bound) => (0.5, bound),
        None => (1.0, word),
    };
    let (sign, word) = match word.strip_prefix(['−', '-']) {
        Some(size) => (-1.0, size),
        None => (1.0, word.strip_prefix('+').unwrap_or(word)),
    };
    let word = word.strip_prefix('$').unwrap_or(word);
    let (word, unit) = match word.char_indices().next_back()? {
        (end, 'k') => (&word[..end], 1e3),
        (end, 'M') => (&word[..end], 1e6),
        (end, '%') => (&word[..end], 0.01),
        _ => (word, 1.0),
    };
    let digits = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let size: f64 = if digits { word.parse().ok()? } else { return None };
    Some(sign * scale * size * unit).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::super::super::number;
    use super::*;

    #[test]
    fn a_written_figure_reads_back_near_to_what_it_was() {
        let writers: [fn(f64) -> String; 5] =
            [number::tokens, number::change, number::dollars, number::share, number::count];
        for write in writers {
            for figure in [0.0, 0.004, 0.5, 0.614, 1.0, 37.0, 812.0, 12_345.0, 1_240_000.0] {
                for figure in [figure, -figure] {
                    let written = write(figure);
                    let read = value(&written).unwrap_or_else(|| panic!("{written}"));
                    let off = (read - figure).abs();
                    assert!(off <= 0.5_f64.max(figure.abs() * 0.01), "{figure}: {written}: {read}");
                }
            }
        }
    }

    #[test]
    fn words_have_no_value() {
        for text in ["", "–", "forge-adr", "none lost", "k", "%", "$", "1.2.3", "Infinity", "1e9"]
        {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(value("51% [42%, 59%]"), Some(0.51));
        assert!(value("<0.1%").unwrap() < value("0.1%").unwrap());
    }
}
