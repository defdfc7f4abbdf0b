//! What holds whatever comes between: crashes, lost answers, others who write at the same time.

mod clocks;
mod current;
mod fetcher;
mod model;
mod rollouts;
