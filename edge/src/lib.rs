#![doc = include_str!("../README.md")]
// Bytes of unknown clients reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

mod admin;
mod answer;
mod bodies;
mod build_id;
mod cache_control;
mod clock;
mod config;
mod follower;
mod log;
mod log_lines;
mod metrics;
mod program;
mod reload;
mod reply;
mod representation;
mod request;
mod route;
mod routes;
mod server;
mod serving_state;

pub use answer::{HTML, POLICY};
pub use config::Command;
pub use program::{run, serve, serve_admin, terminated};
pub use reload::follow;
pub use routes::{error_response, refuse, routes, service};
pub use server::{Options, Server};
pub use serving_state::{OpenError, OpenGeneration, ServingState};
