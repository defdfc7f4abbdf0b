//! A dataset that is larger than memory, as parts in temporary files. Its rows are read once, checked, and written to the
//! part of their program; programs are in parts by the order of their documents. A part is linked on its own.

mod load;
mod outline;
mod places;
mod rows;
mod split;

pub use load::Parts;
pub use outline::Outline;
pub use split::{SplitError, SplitOptions, input_bytes, split};
