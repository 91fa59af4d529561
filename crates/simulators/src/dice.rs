//! Chance that can be repeated.

/// A small generator (`xorshift64*`): who rolls what depends on the seed alone.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: usize) -> Dice {
        let seed = u64::try_from(seed).expect("a usize fits");
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let sides = u64::try_from(sides).expect("a usize fits");
        usize::try_from((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % sides).expect("below a usize")
    }
}
