//! Damaged indexes: whoever may write the files may also write a fitting checksum, so a changed
//! byte anywhere must be refused or do no harm. Nothing may panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use generator::generate::in_memory;
use snapshot::page::{Site, search};
use snapshot::time::Day;
use tests::synth::TODAY;

use crate::harness::World;
