//! One seed, one thread, one run: the engine on SQLite in memory, with a clock, chance and crashes of our choosing.
