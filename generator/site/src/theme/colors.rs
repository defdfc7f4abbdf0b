//! `theme.toml`: colours of pages, each for light and for dark screens, and the pictures of a brand.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::problem::ThemeProblem;

/// The program's own `theme.toml`.
const OWN: &str = include_str!("../../assets/theme.toml");
/// Name of the file.
pub(super) const FILE: &str = "theme.toml";

/// The contents of a file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    colors: BTreeMap<Spanned<String>, [Color; 2]>,
    brand: Brand,
}

/// Names of pictures of a brand.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Brand {
    logo: Option<String>,
    icon: Option<String>,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Color(String);

impl TryFrom<String> for Color {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let hex = text.strip_prefix('#').unwrap_or_default();
        let is_color = hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit());
        let help = "write colours as [\"#0b5563\", \"#7fcddb\"]: for light screens, then for dark ones";
        if is_color { Ok(Self(text.to_ascii_lowercase())) } else { Err(help) }
    }
}

/// The look of pages.
#[derive(Default)]
pub(super) struct Palette {
    /// Light and dark, by the name of the CSS custom property.
    colors: BTreeMap<String, [Color; 2]>,
    /// The logo before the site's name, then the icon in the browser's tab.
    pub(super) brand: [Option<String>; 2],
}

impl Palette {
    /// The program's palette, with the operator's values in place of its own.
    pub(super) fn read(own: Option<&str>, faults: &mut Vec<ThemeProblem>) -> Self {
        let mut look = Self::default();
        [OWN].into_iter().chain(own).for_each(|text| look.put(text, faults));
        look
    }

    /// The colours as custom properties.
    pub(super) fn css(&self) -> String {
        let color = |(name, [light, dark]): (&String, &[Color; 2])| {
            format!("--{name}:light-dark({},{})", light.0, dark.0)
        };
        let colors: Vec<String> = self.colors.iter().map(color).collect();
        format!(":root{{color-scheme:light dark;{}}}\n", colors.join(";"))
    }

    fn put(&mut self, text: &str, faults: &mut Vec<ThemeProblem>) {
        let line = |at: usize| Some(text[..at].lines().count().max(1));
        let file: File = match toml::from_str(text) {
            Ok(file) => file,
            Err(error) => {
                let line = error.span().and_then(|span| line(span.start));
                return faults.push(ThemeProblem::new(FILE, line, error.message()));
            }
        };
        let is_own = self.colors.is_empty();
        for (name, pair) in file.colors {
            if is_own || self.colors.contains_key(name.as_ref()) {
                self.colors.insert(name.into_inner(), pair);
            } else {
                let fault = format!("there is no colour `{}`", name.as_ref());
                let fault = ThemeProblem::new(FILE, line(name.span().start + 1), fault);
                faults.push(fault.known(name.as_ref(), self.colors.keys().map(String::as_str)));
            }
        }
        let Brand { logo, icon } = file.brand;
        self.brand = [logo, icon];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_colour_is_reported_with_its_line_and_what_to_write() {
        for (text, what) in [
            (
                "[colors]\nlinks = [\"#000000\", \"#ffffff\"]\n",
                "2: there is no colour `links`\n  help: did you mean `link`?",
            ),
            ("[colors]\n\ntext = [\"black\", \"#ffffff\"]\n", "3: write colours as "),
            ("[colors]\ntext = \"#000000\"\n", "2: invalid type"),
            ("\n[brands]\n", "2: unknown field `brands`, expected `colors` or `brand`"),
            ("[colors", "1: "),
        ] {
            let mut faults = Vec::new();
            Palette::read(Some(text), &mut faults);
            let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
            assert!(shown.len() == 1 && shown[0].starts_with(&format!("theme.toml:{what}")), "{shown:?}");
        }
    }
}
