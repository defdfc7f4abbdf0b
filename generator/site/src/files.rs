//! The files of a snapshot on their way: families of pages, and how each is rendered and handed on.

use rayon::prelude::*;
use snapshot::page::hole::Filled;
use snapshot::record::Directory;

/// A file on its way: its path and its bytes.
pub(crate) type File = (String, Filled);

/// The files of one position of a family.
pub(crate) type Rendered = Result<Vec<File>, minijinja::Error>;

/// A file that does not depend on the day.
pub(crate) fn whole(path: String, bytes: impl Into<Vec<u8>>) -> File {
    (path, Filled { bytes: bytes.into(), holes: Vec::new() })
}

/// Records that have pages, by their place in the directory.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Programs.
    pub programs: Vec<usize>,
    /// Organizations.
    pub organizations: Vec<usize>,
    /// Recipients.
    pub recipients: Vec<usize>,
}

impl Records {
    /// Those of a directory.
    #[must_use]
    pub fn all(directory: &Directory) -> Self {
        Self {
            programs: (0..directory.programs.len()).collect(),
            organizations: (0..directory.organizations.len()).collect(),
            recipients: (0..directory.recipients.len()).collect(),
        }
    }
}

/// A family of pages: its name for people, and how many there are; each is a file or a few.
pub struct Family<'a> {
    /// What progress shows.
    pub name: &'static str,
    /// How many pages.
    pub count: usize,
    page: Box<dyn Fn(usize) -> Rendered + Sync + 'a>,
}

impl<'a> Family<'a> {
    /// Pages and how one is made.
    pub(crate) fn new<P: Sync + 'a + Send>(
        name: &'static str,
        pages: Vec<P>,
        make: impl Fn(&P) -> Rendered + Sync + 'a,
    ) -> Self {
        Self { name, count: pages.len(), page: Box::new(move |position| make(&pages[position])) }
    }

    /// Renders every page in parallel, hands its files to `put` and tells `done` of it; stops at the first error.
    ///
    /// # Errors
    ///
    /// The first error of `put` or of a template.
    pub fn render<E: Send + From<minijinja::Error>>(
        &self,
        put: impl Fn(&str, &Filled) -> Result<(), E> + Sync,
        done: impl Fn() + Sync,
    ) -> Result<(), E> {
        (0..self.count).into_par_iter().try_for_each(|position| {
            (self.page)(position)?.iter().try_for_each(|(path, filled)| put(path, filled))?;
            done();
            Ok(())
        })
    }
}
