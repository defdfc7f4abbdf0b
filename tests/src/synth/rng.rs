//! Seeded random numbers: xoshiro256++, integers only, so that a seed gives the same stream on every
//! machine.

/// Mixes numbers into one well-spread number (splitmix64's finalizer over each part).
fn mix(parts: &[u64]) -> u64 {
    parts.iter().fold(0x243F_6A88_85A3_08D3, |state, part| finalize(state ^ finalize(*part)))
}

fn finalize(value: u64) -> u64 {
    let z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A stream of pseudo-random numbers (xoshiro256++).
pub struct Rng([u64; 4]);

impl Rng {
    /// The stream that belongs to these numbers; streams of different numbers are independent.
    pub fn new(parts: &[u64]) -> Self {
        let seed = mix(parts);
        Self([0, 1, 2, 3].map(|word| mix(&[seed, word])))
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.0 = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// An id: a UUID of version 4.
    pub fn uuid(&mut self) -> String {
        let digits = format!("{:016x}{:016x}", self.bits(), self.bits());
        let [a, b, c, d, e] = [0..8, 8..12, 13..16, 17..20, 20..32].map(|range| &digits[range]);
        format!("{a}-{b}-4{c}-8{d}-{e}")
    }

    /// A number in `0..n`; 0 for `n = 0`.
    pub fn below(&mut self, n: usize) -> usize {
        (((self.bits() >> 32) * n as u64) >> 32) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// True in `percent` of a hundred cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items, all equally likely.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// The position of one of the weights, drawn in proportion to it.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let (mut rest, mut at) = (self.below(weights.iter().sum()), 0);
        while rest >= weights[at] {
            rest -= weights[at];
            at += 1;
        }
        at
    }
}
