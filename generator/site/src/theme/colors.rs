//! `theme.toml`: colours of pages, each for light and for dark screens, and the pictures of a brand.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::problem::ThemeProblem;

/// The program's own `theme.toml`.
const OWN: &str = include_str!("../../assets/theme.toml");
/// Name of the file.
pub(super) const FILE: &str = "theme.toml";

/// The look of pages: the contents of a file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Palette {
    /// Light and dark, by the name of the CSS custom property.
    colors: BTreeMap<Spanned<String>, [Color; 2]>,
    pub(super) brand: Brand,
}

/// Names of pictures of a brand.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Brand {
    /// The logo before the site's name.
    pub(super) logo: Option<String>,
    /// The icon in the browser's tab.
    pub(super) icon: Option<String>,
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

impl Palette {
    /// The program's palette, with the operator's values in place of its own.
    pub(super) fn read(text: Option<&str>, faults: &mut Vec<ThemeProblem>) -> Self {
        let mut look: Self = toml::from_str(OWN).unwrap_or_default();
        let Some(text) = text else { return look };
        let line = |at: usize| Some(text[..at].lines().count().max(1));
        match toml::from_str::<Self>(text) {
            Ok(own) => {
                look.brand = own.brand;
                for (name, pair) in own.colors {
                    if let Some(known) = look.colors.get_mut(name.as_ref().as_str()) {
                        *known = pair;
                        continue;
                    }
                    let fault = format!("there is no colour `{}`", name.as_ref());
                    let fault = ThemeProblem::new(FILE, line(name.span().start + 1), fault);
                    let known = look.colors.keys().map(|known| known.as_ref().as_str());
                    faults.push(fault.known(name.as_ref(), known));
                }
            }
            Err(error) => {
                let line = error.span().and_then(|span| line(span.start));
                faults.push(ThemeProblem::new(FILE, line, error.message()));
            }
        }
        look
    }

    /// The colours as custom properties.
    pub(super) fn css(&self) -> String {
        let color = |(name, [light, dark]): (&Spanned<String>, &[Color; 2])| {
            format!("--{}:light-dark({},{})", name.as_ref(), light.0, dark.0)
        };
        let colors: Vec<String> = self.colors.iter().map(color).collect();
        format!(":root{{color-scheme:light dark;{}}}\n", colors.join(";"))
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
