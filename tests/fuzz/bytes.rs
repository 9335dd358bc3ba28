//! Inputs with a few bytes changed.

/// Another seed is another walk; this one is kept, so that a failure repeats.
const SEED: u64 = 0x7461_7864_2026;

/// xorshift64*: enough to choose bytes by.
pub struct Dice(u64);

impl Default for Dice {
    fn default() -> Dice {
        Dice(SEED)
    }
}

impl Dice {
    /// A number below `below`.
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).expect("31 bits") % below.max(1)
    }
}

/// Pieces that readers of JSON, XML, digital books and figures stumble over.
const PIECES: [&[u8]; 43] = [
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\xc3",
    b"\x00",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"true",
    b"-",
    b"1e9",
    b"0.0000000001",
    b"999999999999999.9999999999",
    b"18446744073709551616",
    b"-9223372036854775808",
    b"NaN",
    b"\"tributo\":\"icms_st\",",
    b"\"quantidade\":\"999999999999999\",",
    b"\"ncm\":\"22071090\",",
    b"\"ex\":\"01\",",
    b"\"valor_unidade_fiscal\":\"0.0000000001\",",
    b"\"numero_profissionais\":1000000,",
    b"2026-02-29",
    b"\xf0\x9f\x92\xb0",
    b"|",
    b"||||||||",
    b"\r",
    b"\n",
    b"31022026",
    b"-9999999999999999999999999999999999999999",
    b"9999999999999999999999999999,99",
    b"0,00",
    b"<",
    b"</",
    b"<![CDATA[",
    b"&#0;",
    b"\xef\xbb\xbf",
];

/// The payload with a few bytes changed; `others` lend their ends.
pub fn damage(payload: &[u8], others: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut out = payload.to_vec();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(out.len() + 1);
        let upto = (at + dice.roll(12)).min(out.len());
        match dice.roll(8) {
            0 if at < out.len() => out[at] ^= 1 << dice.roll(8),
            1 => drop(out.drain(at..upto)),
            2 | 3 => drop(out.splice(at..at, PIECES[dice.roll(PIECES.len())].iter().copied())),
            4 => drop(out.splice(at..upto, PIECES[dice.roll(PIECES.len())].iter().copied())),
            5 => {
                let again = out[at..upto].to_vec();
                out.splice(at..at, again);
            }
            6 => {
                // Digits are where the figures are.
                let digits: Vec<usize> = (0..out.len()).filter(|i| out[*i].is_ascii_digit()).collect();
                if let Some(i) = digits.get(dice.roll(digits.len())) {
                    out[*i] = b"0123456789.-,e"[dice.roll(14)];
                }
            }
            _ => {
                // The end of one document behind the beginning of another.
                let other = &others[dice.roll(others.len())];
                out.truncate(at);
                out.extend_from_slice(&other[at.min(other.len())..]);
            }
        }
    }
    out
}

/// Seeds in turn, each with a few bytes changed.
pub fn damage_of(seeds: &[Vec<u8>], count: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut dice = Dice::default();
    (0..count).map(move |round| damage(&seeds[round % seeds.len()], seeds, &mut dice))
}
