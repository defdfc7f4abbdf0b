//! The site of the sample, as a whole.
