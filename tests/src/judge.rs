//! How well questions are answered: judged questions, the answers of every face, and what they are worth.

#![expect(clippy::unwrap_used, reason = "a judge that cannot go on has failed")]

pub mod desk;
pub mod judged;
pub mod measure;
pub mod run;

pub use desk::{Answer, Desk, FACES, Variant};
pub use judged::Judged;
pub use measure::{Means, Score};
pub use run::Run;
