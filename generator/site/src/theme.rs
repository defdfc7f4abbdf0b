//! Themes: templates, words and assets, each from the operator's folder if it has a file of that name, else from
//! the program. A file in the folder that a theme cannot have is an error. `opdir theme new` writes the files of a new
//! theme, and copies of the program's own files.

mod check;
mod colors;
mod folder;
mod problem;

use std::collections::BTreeMap;
use std::path::Path;

use dataset::text::suggestion;
use html::templates::{SiteInfo, TEMPLATES, Templates, WORDS, environment};
use minijinja::{Environment, Error};
use snapshot::record::Dataset;

use self::colors::Palette;
pub(super) use self::folder::ThemeFile;
use self::folder::{ASSETS, ThemeFolder};
pub use self::problem::ThemeError;
pub(super) use self::problem::ThemeProblem;

/// Scripts, by the pages that load them: one each, so that none needs a second request. The variable of its address, its
/// name, and the files that it is made of: positions among the assets.
const SCRIPTS: [(&str, &str, &[usize]); 5] = [
    // Pages of records: their star.
    ("stars_js", "stars", &[1]),
    // The search page: stars, and results in place as text is typed, which a list of suggestions would cover.
    ("search_js", "site", &[1, 2]),
    // The shortlist.
    ("shortlist_js", "shortlist", &[1, 3]),
    // The API reference: calls that run where they stand.
    ("api_js", "run", &[4]),
    // The home page: suggestions.
    ("home_js", "suggest", &[5]),
];

/// The files of a new theme: name, text, description.
const STARTER: [(&str, &str, &str); 6] = [
    (colors::FILE, PALETTE, "colours, logo and icon"),
    ("base.html", include_str!("../starter/base.html"), "frame of every page: a line in the footer"),
    ("en.json", include_str!("../starter/en.json"), "words of English pages"),
    ("es.json", include_str!("../starter/es.json"), "words of Spanish pages"),
    ("assets/logo.svg", include_str!("../starter/logo.svg"), "the logo"),
    ("assets/icon.svg", include_str!("../starter/icon.svg"), "the icon"),
];
/// The program's colours, and the pictures of the brand.
const PALETTE: &str = concat!(include_str!("../assets/theme.toml"), include_str!("../starter/brand.toml"));

/// Templates, words and assets.
pub struct Theme {
    /// Templates by name.
    pub(super) files: BTreeMap<String, String>,
    /// Words, English and Spanish.
    pub(super) words: [BTreeMap<String, String>; 2],
    /// The style sheet and the scripts, by the variables of their addresses.
    pub(crate) assets: Vec<(&'static str, ThemeFile)>,
    /// Files of the operator that are published.
    pub(crate) extras: Vec<ThemeFile>,
    /// Warnings about the operator's folder.
    pub warnings: Vec<ThemeProblem>,
    /// Addresses of the picture before the name and of the one in the browser's tab.
    pub(super) brand: [Option<String>; 2],
    /// Addresses of the operator's pictures, by name.
    pictures: BTreeMap<String, String>,
}

impl Theme {
    /// Loads a theme; files of `folder` replace those of the program.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or the folder is not a valid theme: then with all its faults.
    pub fn load(folder: Option<&Path>) -> Result<Self, ThemeError> {
        let mut own = folder.map(ThemeFolder::read).transpose()?.unwrap_or_default();
        let mut faults = std::mem::take(&mut own.faults);
        let look = Palette::read(own.text(colors::FILE), &mut faults);
        let pictures = std::mem::take(&mut own.pictures);
        let text = own.text(colors::FILE).unwrap_or_default();
        let brand = [&look.brand.logo, &look.brand.icon].map(|name| {
            let name = name.as_ref()?;
            let picture = pictures.get(name).cloned();
            if picture.is_none() {
                let at = check::line(text, &format!("\"{name}\""));
                let fault = ThemeProblem::new(colors::FILE, at, format!("there is no picture `{name}`"));
                faults.push(fault.known(name, pictures.keys().map(String::as_str)));
            }
            picture
        });
        let files = templates(&own);
        let environment = compiled(&files, pictures.clone(), &mut faults)?;
        let texts: Vec<&str> = own.templates().map(|(_, text)| text).collect();
        let words = WORDS.map(|(file, text)| check::words((file, text), own.text(file), &texts, &mut faults));
        faults.extend(check::templates(&environment, &own, &words));
        if let Some(folder) = folder.filter(|_| !faults.is_empty()) {
            return Err(ThemeError::Faults(folder.to_owned(), faults));
        }
        let script =
            |part: &usize| own.text(ASSETS[*part].0).map_or_else(|| bare(ASSETS[*part].1), str::to_owned);
        let scripts = SCRIPTS.map(|(variable, name, parts)| {
            (variable, ThemeFile::hashed(name, "js", parts.iter().map(script).collect::<String>().into()))
        });
        let style = own.text(ASSETS[0].0).unwrap_or(ASSETS[0].1);
        let added = own.text(folder::STYLE).unwrap_or_default();
        let style = ThemeFile::hashed("site", "css", format!("{}{style}{added}", look.css()).into());
        // An icon with the usual name needs no entry in `theme.toml`.
        let usual = own.extras.iter().find(|it| it.path == "/favicon.ico").map(|it| it.path.clone());
        let [logo, icon] = brand;
        Ok(Self {
            files,
            words,
            assets: [("css", style)].into_iter().chain(scripts).collect(),
            brand: [logo, icon.or(usual)],
            pictures,
            warnings: own.warnings,
            extras: own.extras,
        })
    }

    /// Writes the files of a new theme, or `copies` of the program's own files, and describes each in a line. Existing
    /// files are never overwritten.
    ///
    /// # Errors
    ///
    /// If a file exists, the program has no such file, or it cannot be written.
    pub fn create(folder: &Path, copies: &[String]) -> Result<Vec<String>, ThemeError> {
        let mut files = if copies.is_empty() { STARTER.to_vec() } else { Vec::new() };
        let own = || TEMPLATES.iter().chain(&WORDS).chain(ASSETS);
        for name in copies {
            let (_, text) = own().find(|(known, _)| known == name).ok_or_else(|| {
                let names: Vec<&str> = own().map(|(known, _)| *known).collect();
                ThemeError::NoFile(name.clone(), suggestion(name, &names, "there are"))
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

    /// Templates and words for the site of a dataset.
    ///
    /// # Errors
    ///
    /// If a template cannot be compiled.
    pub fn compile(&self, dataset: &Dataset, base_url: &str) -> Result<Templates, Error> {
        let url = url::Url::parse(base_url).ok();
        let host = url.and_then(|url| url.host_str().map(str::to_owned));
        let assets = self.assets.iter();
        let site = SiteInfo {
            title: dataset.title.clone(),
            base_url: base_url.to_owned(),
            host: host.unwrap_or_else(|| "localhost".to_owned()),
            contact: dataset.contact_address(),
            published: dataset.published_at,
            locales: dataset.locales.clone(),
            assets: assets.map(|(variable, asset)| ((*variable).to_owned(), asset.path.clone())).collect(),
            brand: self.brand.clone(),
            pictures: self.pictures.clone(),
        };
        let environment = compiled(&self.files, self.pictures.clone(), &mut Vec::new())?;
        Ok(Templates::new(environment, &self.words, site))
    }
}

/// The program's templates and the operator's, which replace those of the same name. What a template of the operator goes
/// on from is there with the prefix [`check::PROGRAM`].
fn templates(own: &ThemeFolder) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for (name, text) in TEMPLATES {
        let original = format!("{}{name}", check::PROGRAM);
        if own.templates().any(|(_, text)| text.contains(&original)) {
            files.insert(original, (*text).to_owned());
        }
        files.insert((*name).to_owned(), own.text(name).unwrap_or(text).to_owned());
    }
    files
}

fn compiled(
    files: &BTreeMap<String, String>,
    pictures: BTreeMap<String, String>,
    faults: &mut Vec<ThemeProblem>,
) -> Result<Environment<'static>, Error> {
    let mut environment = environment(pictures)?;
    for (name, text) in files {
        if let Err(error) = environment.add_template_owned(name.clone(), text.clone()) {
            faults.push(ThemeProblem::new(name, error.line(), error.to_string()));
        }
    }
    Ok(environment)
}

/// A script of the program without comments and indents, which are for readers of the source.
fn bare(script: &str) -> String {
    let lines = script.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests;
