//! What holds whatever comes between: crashes, lost answers, others who write at the same time.

mod away;
mod clocks;
mod model;
mod pointers;
mod rollouts;
