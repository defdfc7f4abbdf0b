//! What holds whatever happens in between: crashes, lost answers, concurrent clients, wrong clocks.

mod current;
mod gc;
mod memory;
mod pulls;
mod pushes;
mod resumed;
mod schedules;

#[cfg(feature = "stores")]
pub(crate) use self::pulls::serve;
