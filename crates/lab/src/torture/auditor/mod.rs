//! Says what cannot be, from the history, the final state and the event feed. Uses neither the core nor the engine.
