//! `opdir theme new` and `opdir theme diff`: the files of a new theme, and how a theme differs from the program.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use similar::TextDiff;
use store::Hex;

use super::check::{PROGRAM, first_word, tags};
use super::folder::{ASSETS, TEMPLATES, ThemeFolder, WORDS};
use super::problem::ThemeError;
use super::{Theme, colors, folder};
use dataset::text::{counted, nearest};

/// The files of a new theme besides its palette: name, text, description.
const STARTER: [(&str, &str, &str); 5] = [
    ("base.html", include_str!("../../../starter/base.html"), "frame of every page: a line in the footer"),
    ("en.json", include_str!("../../../starter/en.json"), "words of English pages"),
    ("es.json", include_str!("../../../starter/es.json"), "words of Spanish pages"),
    ("assets/logo.svg", include_str!("../../../starter/logo.svg"), "the logo"),
    ("assets/icon.svg", include_str!("../../../starter/icon.svg"), "the icon"),
];
/// What its palette has besides the program's.
const BRAND: &str = include_str!("../../../starter/brand.toml");

impl Theme {
    /// Writes the files of a new theme, or `copies` of the program's own files, and describes each in a line. Existing
    /// files are never overwritten.
    ///
    /// # Errors
    ///
    /// If a file exists, the program has no such file, or it cannot be written.
    pub fn create(folder: &Path, copies: &[String]) -> Result<Vec<String>, ThemeError> {
        let mut files: Vec<(String, String, &str)> = Vec::new();
        if copies.is_empty() {
            let palette = format!("{}{BRAND}", colors::OWN);
            files.push((colors::FILE.to_owned(), palette, "colours, logo and icon"));
            files.extend(STARTER.map(|(name, text, about)| (name.to_owned(), text.to_owned(), about)));
        }
        for name in copies {
            let copy = copy(name).ok_or_else(|| {
                let near = nearest(name, folder::names()).map(|near| format!("; did you mean `{near}`?"));
                let all = || format!("; there are {}", folder::names().collect::<Vec<_>>().join(", "));
                ThemeError::NoFile(name.clone(), near.unwrap_or_else(all))
            })?;
            files.push((name.clone(), copy, "a copy of the program's file, to be edited"));
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

    /// How a theme differs from the program's own files, file by file.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read, or is not a valid theme.
    pub fn diff(folder: &Path) -> Result<Vec<String>, ThemeError> {
        Self::load(Some(folder))?;
        let own = ThemeFolder::read(folder)?;
        let mut lines = Vec::new();
        if let Some(text) = own.text(colors::FILE) {
            let palette = colors::Palette::read(Some(text), &mut Vec::new());
            lines.push(format!("{}: {}", colors::FILE, listed("colour", &palette.differing())));
        }
        for (name, text) in WORDS {
            let parse = |text: &str| serde_json::from_str::<BTreeMap<String, String>>(text);
            let Some(Ok(own)) = own.text(name).map(parse) else { continue };
            let program = parse(text).unwrap_or_default();
            let differing =
                own.into_iter().filter(|(key, word)| key != "_" && program.get(key) != Some(word));
            let keys: Vec<String> = differing.map(|(key, _)| key).collect();
            lines.push(format!("{name}: {}", listed("word", &keys)));
        }
        for (name, text) in TEMPLATES.iter().chain(ASSETS) {
            lines.extend(own.text(name).map(|copy| compared(name, text, copy)));
        }
        let style = own.text(folder::STYLE);
        lines.extend(style.map(|_| format!("{}: is added to the program's style sheet", folder::STYLE)));
        Ok(lines)
    }
}

/// A file of the program after a comment with its version. JSON has no comments: words are compared one by one.
fn copy(name: &str) -> Option<String> {
    let (_, text) = TEMPLATES.iter().chain(&WORDS).chain(ASSETS).find(|(known, _)| *known == name)?;
    let mark = mark(text);
    Some(match name.rsplit_once('.').map_or("", |(_, kind)| kind) {
        "html" | "md" => format!("{{# {mark} #}}\n{text}"),
        "json" => (*text).to_owned(),
        _ => format!("/* {mark} */\n{text}"),
    })
}

/// The version mark of a file of this program.
fn mark(text: &str) -> String {
    format!("opdir {} sha256:{}", env!("CARGO_PKG_VERSION"), Hex(&Sha256::digest(text.as_bytes())[..8]))
}

fn listed(what: &str, names: &[String]) -> String {
    let colon = if names.is_empty() { "" } else { ": " };
    format!("{} of its own{colon}{}", counted(names.len(), what), names.join(", "))
}

/// How a file that replaces one of the program's differs from it.
fn compared(name: &str, program: &str, own: &str) -> String {
    let own_name = format!("\"{PROGRAM}{name}\"");
    if tags(own, "extends").next().is_some_and(|(_, rest)| rest.contains(&own_name)) {
        let blocks: Vec<&str> = tags(own, "block").map(|(_, rest)| first_word(rest)).collect();
        return format!("{name}: replaces {}", blocks.join(", "));
    }
    let (first, rest) = own.split_once('\n').unwrap_or((own, ""));
    let body = if first.contains("sha256:") { rest } else { own };
    let state = match (first.contains("sha256:"), first.contains(&mark(program))) {
        (_, true) => "a copy of this program's",
        (true, false) => "a copy of another program's, which has changed since",
        (false, _) => "in place of the program's, and says not of which",
    };
    let diff = TextDiff::from_lines(program, body);
    let header = (format!("{PROGRAM}{name}"), name.to_owned());
    let lines = diff.unified_diff().context_radius(1).header(&header.0, &header.1).to_string();
    format!("{name}: {state}\n{lines}").trim_end().to_owned()
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
        let lines = Theme::diff(folder.path()).unwrap();
        assert_eq!(lines[0], "theme.toml: 0 colours of its own");
        assert!(lines.contains(&"base.html: replaces footer".to_owned()), "{lines:?}");
        // An existing file is not overwritten.
        assert!(matches!(Theme::create(folder.path(), &[]), Err(ThemeError::Exists { .. })));
    }

    #[test]
    fn diff_reports_the_version_and_the_changes_of_a_copied_file() {
        let folder = tempfile::tempdir().unwrap();
        Theme::create(folder.path(), &["about.html".to_owned(), "site.css".to_owned()]).unwrap();
        let lines = Theme::diff(folder.path()).unwrap();
        assert_eq!(lines, ["about.html: a copy of this program's", "site.css: a copy of this program's"]);
        let path = folder.path().join("about.html");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("<h1>", "<h1 class=\"big\">").replace("sha256:", "sha256:0"))
            .unwrap();
        let lines = Theme::diff(folder.path()).unwrap();
        assert!(
            lines[0].starts_with("about.html: a copy of another program's, which has changed since\n"),
            "{lines:?}"
        );
        assert!(
            lines[0].contains("\n-<h1>{{ title }}</h1>\n+<h1 class=\"big\">{{ title }}</h1>\n"),
            "{lines:?}"
        );
        assert!(matches!(
            Theme::create(folder.path(), &["abuot.html".to_owned()]),
            Err(ThemeError::NoFile { .. })
        ));
    }
}
