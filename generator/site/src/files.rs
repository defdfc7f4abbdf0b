//! Families of pages, and the files of a snapshot that they become.

use snapshot::page::hole::Filled;

/// The path and the contents of a file.
pub(crate) type File = (String, Filled);

/// The files of one page of a family.
pub(crate) type Rendered = Result<Vec<File>, minijinja::Error>;

/// A body that does not depend on the day.
pub(crate) fn undated(bytes: impl Into<Vec<u8>>) -> Filled {
    Filled { bytes: bytes.into(), holes: Vec::new() }
}

/// A file that does not depend on the day.
pub(crate) fn whole(path: String, bytes: impl Into<Vec<u8>>) -> File {
    (path, undated(bytes))
}

/// A JSON object without the members that are null.
pub(crate) fn stated(mut object: serde_json::Value) -> serde_json::Value {
    if let Some(members) = object.as_object_mut() {
        members.retain(|_, member| !member.is_null());
    }
    object
}

/// A file of JSON for people.
pub(crate) fn document(json: &serde_json::Value) -> String {
    format!("{json:#}\n")
}

/// A family of pages. Each page is one file or a few.
pub(crate) struct Family<'a> {
    /// Name shown by the progress.
    pub name: &'static str,
    /// Number of pages.
    pub count: usize,
    /// Renders a page by its number.
    pub page: Box<dyn Fn(usize) -> Rendered + Sync + 'a>,
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
}
