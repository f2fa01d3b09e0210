//! A PNG writer for charts.
//!
//! Charts are mostly flat colour, so each row is stored as its difference from the
//! row above (filter `Up`) and deflated with the fixed code of RFC 1951 over greedy
//! matches. That is within reach of a general encoder for such pictures, and the
//! bytes depend on nothing but the pixels.

const WINDOW: usize = 32_768;
const SHORTEST: usize = 3;
const LONGEST: usize = 258;
const HASH_BITS: u32 = 15;

/// Base length of each length code from 257 and its extra bits (RFC 1951, 3.2.5).
const LENGTHS: [(usize, u32); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

/// Base distance of each distance code and its extra bits (RFC 1951, 3.2.5).
const DISTANCES: [(usize, u32); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1025, 9),
    (1537, 9),
    (2049, 10),
    (3073, 10),
    (4097, 11),
    (6145, 11),
    (8193, 12),
    (12289, 12),
    (16385, 13),
    (24577, 13),
];

/// Encodes rows of red, green, blue bytes.
pub fn encode(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let mut header = Vec::with_capacity(13);
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    // Eight bits, true colour, deflate, adaptive filters, not interlaced.
    header.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &zlib(&filtered(width as usize * 3, pixels)));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend(data);
    let sum = crc32(&file[start..]);
    file.extend(sum.to_be_bytes());
}

/// Each row as its difference from the row above, behind its filter byte.
fn filtered(stride: usize, pixels: &[u8]) -> Vec<u8> {
    const UP: u8 = 2;
    let mut out = Vec::with_capacity(pixels.len() + pixels.len() / stride.max(1));
    let mut above = vec![0; stride];
    for row in pixels.chunks_exact(stride.max(1)) {
        out.push(UP);
        out.extend(row.iter().zip(&above).map(|(byte, up)| byte.wrapping_sub(*up)));
        above.copy_from_slice(row);
    }
    out
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    out.extend(deflate(data));
    out.extend(adler32(data).to_be_bytes());
    out
}

/// Bits, least significant first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        self.held |= u64::from(value) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Huffman codes are packed starting with their most significant bit.
    fn push_code(&mut self, code: u32, count: u32) {
        self.push(code.reverse_bits() >> (32 - count), count);
    }

    /// A literal byte, the end of the block or a length code, in the fixed code.
    fn symbol(&mut self, symbol: u32) {
        match symbol {
            0..=143 => self.push_code(0x30 + symbol, 8),
            144..=255 => self.push_code(0x190 + symbol - 144, 9),
            256..=279 => self.push_code(symbol - 256, 7),
            _ => self.push_code(0xC0 + symbol - 280, 8),
        }
    }

    fn copy(&mut self, length: usize, distance: usize) {
        let code = LENGTHS.partition_point(|(base, _)| *base <= length) - 1;
        let (base, extra) = LENGTHS[code];
        self.symbol(257 + code as u32);
        self.push((length - base) as u32, extra);
        let code = DISTANCES.partition_point(|(base, _)| *base <= distance) - 1;
        let (base, extra) = DISTANCES[code];
        self.push_code(code as u32, 5);
        self.push((distance - base) as u32, extra);
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.held as u8);
        }
        self.bytes
    }
}

/// One block in the fixed code; each match is the latest one with the same three bytes.
fn deflate(data: &[u8]) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(0b011, 3);
    let mut latest = vec![usize::MAX; 1 << HASH_BITS];
    let mut at = 0;
    while at < data.len() {
        let length = match earlier(data, at, &mut latest) {
            Some((length, distance)) => {
                bits.copy(length, distance);
                length
            }
            None => {
                bits.symbol(u32::from(data[at]));
                1
            }
        };
        for inner in at + 1..(at + length).min(data.len().saturating_sub(SHORTEST)) {
            latest[slot(data, inner)] = inner;
        }
        at += length;
    }
    bits.symbol(256);
    bits.finish()
}

fn earlier(data: &[u8], at: usize, latest: &mut [usize]) -> Option<(usize, usize)> {
    if data.len() - at < SHORTEST {
        return None;
    }
    let found = std::mem::replace(&mut latest[slot(data, at)], at);
    if found == usize::MAX || at - found > WINDOW {
        return None;
    }
    let longest = LONGEST.min(data.len() - at);
    let length =
        (0..longest).take_while(|&offset| data[found + offset] == data[at + offset]).count();
    (length >= SHORTEST).then_some((length, at - found))
}

/// Where the latest place of the three bytes at `at` is kept.
fn slot(data: &[u8], at: usize) -> usize {
    let key = u32::from_le_bytes([data[at], data[at + 1], data[at + 2], 0]);
    (key.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

fn crc32(data: &[u8]) -> u32 {
    const TABLE: [u32; 256] = crc_table();
    !data
        .iter()
        .fold(!0, |sum, byte| TABLE[((sum ^ u32::from(*byte)) & 0xFF) as usize] ^ (sum >> 8))
}

const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xEDB8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

fn adler32(data: &[u8]) -> u32 {
    const PRIME: u32 = 65_521;
    let (mut low, mut high) = (1, 0);
    // 5552 bytes are the most that cannot overflow between two reductions.
    for block in data.chunks(5552) {
        for byte in block {
            low += u32::from(*byte);
            high += low;
        }
        low %= PRIME;
        high %= PRIME;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads what `deflate` writes: one block in the fixed code.
    fn inflate(packed: &[u8]) -> Vec<u8> {
        let mut at = 0;
        let mut bit = || {
            let value = packed[at / 8] >> (at % 8) & 1;
            at += 1;
            u32::from(value)
        };
        assert_eq!([bit(), bit(), bit()], [1, 1, 0]);
        let mut out: Vec<u8> = Vec::new();
        loop {
            let mut code = (0..7).fold(0, |code, _| code << 1 | bit());
            let symbol = if code < 24 {
                256 + code
            } else {
                code = code << 1 | bit();
                match code {
                    0x30..=0xBF => code - 0x30,
                    0xC0..=0xC7 => code - 0xC0 + 280,
                    _ => (code << 1 | bit()) - 0x190 + 144,
                }
            };
            match symbol {
                0..=255 => out.push(symbol as u8),
                256 => return out,
                _ => {
                    let mut number = |count: u32| (0..count).fold(0, |n, i| n | bit() << i);
                    let (base, extra) = LENGTHS[symbol as usize - 257];
                    let length = base + number(extra) as usize;
                    let code = (0..5).fold(0, |code, _| code << 1 | number(1));
                    let (base, extra) = DISTANCES[code as usize];
                    let distance = base + number(extra) as usize;
                    for _ in 0..length {
                        out.push(out[out.len() - distance]);
                    }
                }
            }
        }
    }

    #[test]
    fn checksums_are_those_of_the_standards() {
        assert_eq!(crc32(b"IEND"), 0xAE42_6082);
        assert_eq!(adler32(b"Wikipedia"), 0x11E6_0398);
    }

    #[test]
    fn flat_colour_shrinks_eightyfold() {
        let pixels = vec![255; 600 * 400 * 3];
        assert!(encode(600, 400, &pixels).len() * 80 < pixels.len());
    }

    #[test]
    fn far_matches_stay_in_the_window() {
        let mut data = vec![7, 8, 9, 10];
        data.extend((0..40_000_u32).map(|value| (value.wrapping_mul(2_654_435_761) >> 24) as u8));
        data.extend([7, 8, 9, 10]);
        assert_eq!(inflate(&deflate(&data)), data);
    }

    proptest! {
        /// For all bytes: inflate(deflate(bytes)) = bytes.
        #[test]
        fn deflated_bytes_come_back(
            words in prop::collection::vec(prop::collection::vec(0_u8..=255, 0..40), 0..6),
            order in prop::collection::vec(0_usize..6, 0..60),
        ) {
            let data: Vec<u8> =
                order.iter().filter_map(|&index| words.get(index)).flatten().copied().collect();
            prop_assert_eq!(inflate(&deflate(&data)), data);
        }
    }
}
