//! Records whose pages are taken from the live generation, and what their pages are now.

use jiff::civil::Date;

use super::layout::{page_of, starts_of};
use super::table::Hole;

/// Hash of everything that the pages of a record are made from but the day and the numbers in holes: records, texts,
/// templates, this program. Never zeros.
pub type RecordFingerprint = [u8; 16];

/// A record whose pages of the live generation can be used again, if they have this fingerprint there.
#[derive(Clone, Copy, Debug)]
pub struct ReusableRecord<'a> {
    /// One of `RECORD_KINDS`.
    pub kind: &'a str,
    /// Its slug.
    pub slug: &'a str,
    /// The fingerprint of its pages.
    pub from: RecordFingerprint,
}

impl ReusableRecord<'_> {
    /// Path of its page in the REST interface.
    pub fn page(&self) -> String {
        page_of(self.kind, self.slug)
    }

    /// What the paths of its pages start with, and no others.
    pub fn starts(&self) -> [String; 5] {
        starts_of(self.kind, self.slug)
    }
}

/// A page of the live generation that may be used again.
pub struct LivePage<'a> {
    /// Below the generation.
    pub path: &'a str,
    /// Its holes, with the arguments that they had.
    pub holes: &'a [Hole],
    /// The day that they are filled for.
    pub as_of: Date,
    pub(super) body: &'a dyn Fn() -> Option<&'a [u8]>,
}

impl<'a> LivePage<'a> {
    /// The body, if it can be read.
    pub fn body(&self) -> Option<&'a [u8]> {
        (self.body)()
    }
}

/// What such a page is now.
#[derive(Clone, Debug)]
pub struct RenewedPage {
    /// Its holes.
    pub holes: Vec<Hole>,
    /// Its body, if that is another: only what is in holes may differ.
    pub body: Option<Vec<u8>>,
}

/// Renews a page: gives its holes the arguments and the bytes that they have now; `None` if it has to be made anew.
pub type RenewFn<'a> = &'a dyn Fn(&LivePage<'_>) -> Option<RenewedPage>;
