//! Edge.
