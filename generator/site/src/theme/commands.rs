//! `opdir theme new`: the files of a new theme, and copies of the program's own files.

use std::path::Path;

use super::folder::ASSETS;
use super::problem::ThemeError;
use super::{Theme, colors, folder};
use dataset::text::nearest;
use html::templates::{TEMPLATES, WORDS};

/// The files of a new theme: name, text, description.
const STARTER: [(&str, &str, &str); 6] = [
    (colors::FILE, PALETTE, "colours, logo and icon"),
    ("base.html", include_str!("../../starter/base.html"), "frame of every page: a line in the footer"),
    ("en.json", include_str!("../../starter/en.json"), "words of English pages"),
    ("es.json", include_str!("../../starter/es.json"), "words of Spanish pages"),
    ("assets/logo.svg", include_str!("../../starter/logo.svg"), "the logo"),
    ("assets/icon.svg", include_str!("../../starter/icon.svg"), "the icon"),
];
/// The program's colours, and the pictures of the brand.
const PALETTE: &str =
    concat!(include_str!("../../assets/theme.toml"), include_str!("../../starter/brand.toml"));

impl Theme {
    /// Writes the files of a new theme, or `copies` of the program's own files, and describes each in a line. Existing
    /// files are never overwritten.
    ///
    /// # Errors
    ///
    /// If a file exists, the program has no such file, or it cannot be written.
    pub fn create(folder: &Path, copies: &[String]) -> Result<Vec<String>, ThemeError> {
        let mut files = if copies.is_empty() { STARTER.to_vec() } else { Vec::new() };
        for name in copies {
            let mut known = TEMPLATES.iter().chain(&WORDS).chain(ASSETS);
            let (_, text) = known.find(|(known, _)| known == name).ok_or_else(|| {
                let near = nearest(name, folder::names()).map(|near| format!("; did you mean `{near}`?"));
                let all = || format!("; there are {}", folder::names().collect::<Vec<_>>().join(", "));
                ThemeError::NoFile(name.clone(), near.unwrap_or_else(all))
            })?;
            files.push((name, text, "a copy of the program's file, to be edited"));
        }
        if let Some((name, ..)) = files.iter().find(|(name, ..)| folder.join(name).exists()) {
            return Err(ThemeError::Exists(folder.join(name)));
        }
        let mut lines = Vec::new();
        for (name, text, about) in files {
            let path = folder.join(name);
            let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            written
                .and_then(|()| std::fs::write(&path, text))
                .map_err(|source| ThemeError::Unwritable(path.clone(), source))?;
            lines.push(format!("{}: {about}", path.display()));
        }
        lines.push(format!("next: opdir preview --templates {}", folder.display()));
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_new_theme_are_a_valid_theme() {
        let folder = tempfile::tempdir().unwrap();
        let lines = Theme::create(folder.path(), &[]).unwrap();
        assert_eq!(lines.len(), 7, "{lines:?}");
        let theme = Theme::load(Some(folder.path())).unwrap();
        assert!(theme.brand.iter().all(|picture| picture.as_deref().unwrap().starts_with("/assets/")));
        // An existing file is not overwritten.
        assert!(matches!(Theme::create(folder.path(), &[]), Err(ThemeError::Exists { .. })));
    }

    #[test]
    fn a_copy_is_the_programs_own_file() {
        let folder = tempfile::tempdir().unwrap();
        Theme::create(folder.path(), &["about.html".to_owned(), "site.css".to_owned()]).unwrap();
        for (name, text) in TEMPLATES.iter().chain(ASSETS) {
            let copy = std::fs::read_to_string(folder.path().join(name)).ok();
            assert_eq!(copy.as_deref(), ["about.html", "site.css"].contains(name).then_some(*text));
        }
        let error = Theme::create(folder.path(), &["abuot.html".to_owned()]).err().unwrap();
        assert!(error.to_string().ends_with("did you mean `about.html`?"), "{error}");
    }
}
