//! One pass over a line's bytes: its words, which of them look like artifacts,
//! its size in tokens and a hash by which repetitions are known.

/// Something that looks like it was named by a program or a person at work: a
/// path, an identifier, a number with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where it stands in the line.
    pub(super) start: u16,
    pub(super) end: u16,
    /// Slot in the table of frequencies.
    pub(super) slot: u16,
    /// Worth listing by itself (a number is not).
    pub(super) named: bool,
}

/// What one pass tells of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gist {
    /// Words of two or more letters.
    pub(super) words: u16,
    /// Characters of code and tables.
    pub(super) punctuation: u16,
    /// Estimated tokens.
    pub(super) tokens: u16,
    /// Of the folded words.
    pub(super) hash: u64,
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const UNDER: u8 = 8;
const SLASH: u8 = 16;
const JOINT: u8 = 32;
const WIDE: u8 = 64;

/// Number of slots in the table of frequencies.
pub(super) const SLOTS: usize = 1 << 14;

const CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDER,
            b'/' => SLASH,
            b'.' | b':' | b'-' | b'@' | b'~' | b'+' | b'%' | b'#' => JOINT,
            0x80.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// Reads a line; `digits_differ` is false where lines that differ in their
/// digits alone are one (progress and log output). Offsets fit 16 bits since
/// lines are cut at [`super::sentence::LONGEST`].
pub(super) fn read(line: &str, digits_differ: bool, marks: &mut Vec<Mark>) -> Gist {
    let bytes = line.as_bytes();
    let mut gist = Gist::default();
    let mut eighths = 0_u32;
    let mut place = 0;
    while let Some(&byte) = bytes.get(place) {
        if CLASS[usize::from(byte)] == 0 {
            if byte != b' ' && byte != b'\t' {
                gist.punctuation += 1;
                eighths += 6;
            }
            place += 1;
            continue;
        }
        let word = Word::at(bytes, place, digits_differ);
        place = word.next;
        gist.hash = (gist.hash.rotate_left(5) ^ word.hash).wrapping_mul(0x517c_c1b7_2722_0a95);
        gist.words += u16::from(word.end - word.start > 1);
        let kind = word.kind(bytes);
        eighths += word.eighths(kind);
        if kind != Kind::Plain {
            marks.push(Mark {
                start: word.start as u16,
                end: word.end as u16,
                slot: (word.hash >> 48) as u16 % SLOTS as u16,
                named: kind == Kind::Named,
            });
        }
    }
    gist.tokens = (eighths / 8 + 1) as u16;
    gist
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Figure,
    Named,
}

/// A run of word bytes; `start..end` leaves out joints at its edges.
struct Word {
    start: usize,
    end: usize,
    next: usize,
    bits: u8,
    humps: u32,
    hash: u64,
}

impl Word {
    fn at(bytes: &[u8], start: usize, digits_differ: bool) -> Word {
        let mut word = Word { start, end: start, next: start, bits: 0, humps: 0, hash: 0 };
        let mut before = 0;
        while let Some(&byte) = bytes.get(word.next) {
            let class = CLASS[usize::from(byte)];
            if class == 0 {
                break;
            }
            word.bits |= class;
            word.humps += u32::from(before & LOWER != 0 && class & UPPER != 0);
            let same =
                if class == DIGIT && !digits_differ { b'0' } else { byte | (class & UPPER) << 4 };
            if class != JOINT {
                word.hash = (word.hash ^ u64::from(same)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                word.hash ^= word.hash >> 29;
                word.end = word.next + 1;
            }
            before = class;
            word.next += 1;
        }
        while word.start < word.end && CLASS[usize::from(bytes[word.start])] == JOINT {
            word.start += 1;
        }
        word
    }

    fn kind(&self, bytes: &[u8]) -> Kind {
        let length = self.end - self.start;
        if length < 2 || self.bits & (LOWER | UPPER | DIGIT) == 0 {
            return Kind::Plain;
        }
        let letters = self.bits & (LOWER | UPPER) != 0;
        let inside = &bytes[self.start..self.end];
        let joined =
            self.bits & JOINT != 0 && length > 4 && inside.iter().any(|&b| b == b'.' || b == b':');
        let path = inside.iter().filter(|&&b| b == b'/').count() > 1 && length > 4;
        let named = self.bits & UNDER != 0 || self.humps > 0 || joined || path;
        if letters && length > 3 && named {
            Kind::Named
        } else if self.bits & DIGIT != 0 {
            Kind::Figure
        } else {
            Kind::Plain
        }
    }

    /// Estimated tokens in eighths, calibrated on prose and code.
    fn eighths(&self, kind: Kind) -> u32 {
        let length = (self.next - self.start) as u32;
        match kind {
            _ if self.bits & WIDE != 0 => 8 + length * 3,
            Kind::Plain => 8 + length * 8 / 14,
            Kind::Figure => 8 + length * 8 / 4,
            Kind::Named => 8 + length * 8 / 5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str) -> Vec<&str> {
        let mut marks = Vec::new();
        read(line, true, &mut marks);
        let named = marks.iter().filter(|mark| mark.named);
        named.map(|mark| &line[mark.start.into()..mark.end.into()]).collect()
    }

    #[test]
    fn artifacts_are_told_from_words_and_figures() {
        for (line, expected) in [
            ("Edit src/main.rs, then run.", vec!["src/main.rs"]),
            ("`retry_budget` is 42", vec!["retry_budget"]),
            ("RetryPolicy::new() in lib", vec!["RetryPolicy::new"]),
            ("see a.b, i.e. this and/or that", vec![]),
            ("config.toml.", vec!["config.toml"]),
            ("wait 30s at 10:45", vec![]),
            ("Übergröße ist groß", vec![]),
        ] {
            assert_eq!(named(line), expected, "{line}");
        }
    }

    #[test]
    fn folded_words_give_the_hash() {
        let hash = |line, digits_differ| read(line, digits_differ, &mut Vec::new()).hash;
        assert_eq!(hash("Port  8080!", true), hash("port 8080", true));
        assert_ne!(hash("port 8080", true), hash("port 9090", true));
        assert_eq!(hash("step 1 of 9", false), hash("step 2 of 9", false));
        assert_ne!(hash("do it", true), hash("do not", true));
    }

    #[test]
    fn estimates_are_near_the_count() {
        for line in [
            "The retry queue must never block the scheduler, because both share one lock.",
            "error[E0382]: borrow of moved value: `config` --> src/settings/loader.rs:42:17",
            "fn main() { let value = parse_options(&arguments)?; run(value).await; }",
        ] {
            let exact = crate::token::Tokenizer::O200k.count(line).as_f64();
            let estimate = f64::from(read(line, true, &mut Vec::new()).tokens);
            assert!((0.75..1.45).contains(&(estimate / exact)), "{line}: {estimate} for {exact}");
        }
    }
}
