//! What holds whatever happens in between: crashes, lost answers, concurrent clients, wrong clocks.

mod current;
mod gc;
mod memory;
mod resumed;
mod schedules;
