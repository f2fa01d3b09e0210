//! How much is read of a file: no input can fill the memory.

use std::fs::File;
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Broken, Error, Result};

const MIB: u64 = 1 << 20;

/// What a file is, and so how much of it is read where `--max-file-size` does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Settings that people write: 16 MiB.
    Settings,
    /// What Proctor records and holds whole in memory: 2 GiB.
    Record,
    /// Sessions, which are read line by line: 4 GiB.
    Session,
}

/// In bytes; 0 where nobody set one.
static FILE: AtomicU64 = AtomicU64::new(0);
static LINE: AtomicU64 = AtomicU64::new(0);

/// Longest line that is read, in bytes: far beyond a tool result with images.
const LONGEST_LINE: u64 = 32 * MIB;

/// The longest line that is read, in bytes.
pub fn longest_line() -> u64 {
    match LINE.load(Ordering::Relaxed) {
        0 => LONGEST_LINE,
        set => set,
    }
}

/// Sets bounds for the whole process: of a file unpacked, and of a line.
pub fn set(file: Option<Size>, line: Option<Size>) {
    for (bound, size) in [(&FILE, file), (&LINE, line)] {
        if let Some(Size(size)) = size {
            bound.store(size, Ordering::Relaxed);
        }
    }
}

/// A number of bytes, as `65536`, `64K`, `500M` or `8G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(u64);

impl FromStr for Size {
    type Err = Broken;

    fn from_str(text: &str) -> std::result::Result<Size, Broken> {
        let (digits, unit) = match text.char_indices().next_back() {
            Some((end, 'K' | 'k')) => (&text[..end], 1 << 10),
            Some((end, 'M' | 'm')) => (&text[..end], MIB),
            Some((end, 'G' | 'g')) => (&text[..end], 1 << 30),
            _ => (text, 1),
        };
        let size = digits.parse().ok().and_then(|number: u64| number.checked_mul(unit));
        size.filter(|size| *size > 0)
            .map(Size)
            .ok_or_else(|| Broken("expected bytes, as `65536`, `64K`, `500M` or `8G`".to_owned()))
    }
}

impl Bound {
    fn most(self) -> u64 {
        match (FILE.load(Ordering::Relaxed), self) {
            (0, Bound::Settings) => 16 * MIB,
            (0, Bound::Record) => 2048 * MIB,
            (0, Bound::Session) => 4096 * MIB,
            (set, _) => set,
        }
    }

    /// A reader that fails behind so many bytes.
    pub fn on<R: Read>(self, reader: R) -> Bounded<R> {
        Bounded { reader, left: self.most(), most: self.most() }
    }

    /// The bytes of a file. [`Error::Io`] also where there are more.
    pub fn bytes(self, path: &Path) -> Result<Vec<u8>> {
        let file = File::open(path).map_err(|source| Error::io("read", path, source))?;
        let mut bytes = Vec::new();
        let read = self.on(file).read_to_end(&mut bytes);
        read.map_err(|source| Error::io("read", path, source))?;
        Ok(bytes)
    }

    /// The text of a file. [`Error::Io`] also where there is more, or it is no UTF-8.
    pub fn text(self, path: &Path) -> Result<String> {
        String::from_utf8(self.bytes(path)?).map_err(|_| {
            let source = io::Error::new(ErrorKind::InvalidData, "it is no UTF-8");
            Error::io("read", path, source)
        })
    }
}

/// A reader that fails where more comes than its bound.
#[derive(Debug)]
pub struct Bounded<R> {
    reader: R,
    left: u64,
    most: u64,
}

impl<R> Bounded<R> {
    /// How much may be taken of what is there.
    fn admitted(&mut self, there: usize) -> io::Result<usize> {
        if there > 0 && self.left == 0 {
            let rule = format!("it is larger than the bound of {} bytes", self.most);
            return Err(io::Error::new(ErrorKind::FileTooLarge, rule));
        }
        Ok(there.min(usize::try_from(self.left).unwrap_or(usize::MAX)))
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let more = self.reader.read(&mut [0])?;
            return self.admitted(more);
        }
        let most = self.admitted(buffer.len())?;
        let read = self.reader.read(&mut buffer[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Bounded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let there = self.reader.fill_buf()?.len();
        let most = self.admitted(there)?;
        Ok(&self.reader.fill_buf()?[..most])
    }

    fn consume(&mut self, bytes: usize) {
        self.left -= bytes as u64;
        self.reader.consume(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(most: u64) -> Bounded<&'static [u8]> {
        Bounded { reader: b"four", left: most, most }
    }

    #[test]
    fn a_file_of_its_bound_is_read_and_a_longer_one_is_not() {
        for most in [4, 5] {
            let (mut read, mut buffered) = (String::new(), Vec::new());
            bounded(most).read_to_string(&mut read).expect("it is short enough");
            bounded(most).read_until(b'\n', &mut buffered).expect("it is short enough");
            assert_eq!((read.as_bytes(), &*buffered), (&b"four"[..], &b"four"[..]));
        }
        let error = bounded(3).read_to_string(&mut String::new()).expect_err("it is too long");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert_eq!(error.to_string(), "it is larger than the bound of 3 bytes");
        let error = bounded(3).read_until(b'\n', &mut Vec::new()).expect_err("it is too long");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn sizes_are_numbers_with_a_unit() {
        let size = |text: &str| text.parse::<Size>().map(|Size(size)| size).ok();
        assert_eq!(size("7"), Some(7));
        assert_eq!(size("64K"), Some(65_536));
        assert_eq!(size("2g"), Some(2 << 30));
        for text in ["", "0", "M", "-1", "1.5G", "1T", "99999999999999999999G", "é"] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
