//! Seeded random numbers: xoshiro256++ and Zipf tables, integer and IEEE arithmetic only, so that a
//! seed gives the same stream on every machine.

/// Mixes numbers into one well-spread number (splitmix64's finalizer over each part).
pub fn mix(parts: &[u64]) -> u64 {
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

    /// One of the words of a list, all equally likely.
    pub fn word(&mut self, words: &'static str) -> &'static str {
        let count = words.split(' ').count();
        words.split(' ').nth(self.below(count)).unwrap_or_default()
    }

    /// The position of one of the weights, drawn in proportion to it.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut rest = self.below(weights.iter().sum());
        weights
            .iter()
            .position(|&weight| {
                let found = rest < weight;
                rest = rest.wrapping_sub(weight);
                found
            })
            .unwrap_or(0)
    }
}

/// Ranks `0..n` with probability proportional to `1 / (rank + 1)`, drawn in constant time (alias method).
pub struct Zipf(Vec<(u32, u32)>);

impl Zipf {
    /// A table over `n` ranks; `n` is at least 1.
    pub fn new(n: usize) -> Self {
        let harmonic: f64 = (1..=n).map(|rank| 1.0 / rank as f64).sum();
        let mut share: Vec<f64> = (1..=n).map(|rank| n as f64 / (rank as f64 * harmonic)).collect();
        let mut table: Vec<(u32, u32)> = (0..n).map(|rank| (u32::MAX, rank as u32)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|&rank| share[rank] < 1.0);
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            table[poor] = ((share[poor] * f64::from(u32::MAX)) as u32, rich as u32);
            share[rich] -= 1.0 - share[poor];
            if share[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Self(table)
    }

    /// A rank.
    pub fn draw(&self, rng: &mut Rng) -> usize {
        let bits = rng.bits();
        let slot = (((bits >> 32) * self.0.len() as u64) >> 32) as usize;
        let (keep, other) = self.0[slot];
        if bits as u32 <= keep { slot } else { other as usize }
    }

    /// Up to `count` different ranks in the order drawn.
    pub fn draw_distinct(&self, rng: &mut Rng, count: usize) -> Vec<usize> {
        let mut ranks = Vec::with_capacity(count);
        for _ in 0..count * 8 {
            if ranks.len() == count {
                break;
            }
            let rank = self.draw(rng);
            if !ranks.contains(&rank) {
                ranks.push(rank);
            }
        }
        ranks
    }
}
