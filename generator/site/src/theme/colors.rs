//! `theme.toml`: colours of pages as twelve tokens, each for light and for dark screens, and the pictures of a brand.

use toml::{Table, Value};

use super::problem::ThemeProblem;

/// The program's own `theme.toml`.
const OWN: &str = include_str!("../../assets/theme.toml");
/// Name of the file.
pub(super) const FILE: &str = "theme.toml";

/// Names of the tokens, and of their CSS custom properties.
const TOKENS: [(&str, &str); 12] = [
    ("background", "bg"),
    ("surface", "soft"),
    ("text", "fg"),
    ("quiet", "dim"),
    ("line", "line"),
    ("link", "link"),
    ("button", "btn"),
    ("on-button", "on"),
    ("open", "ok"),
    ("soon", "warn"),
    ("next", "blue"),
    ("mark", "mark"),
];
/// Pictures of a brand: where each is shown.
const BRAND: [&str; 2] = ["logo", "icon"];

/// The contents of `theme.toml`.
#[derive(Default)]
pub(super) struct Palette {
    /// By token, light and dark, such as `#0b5563`.
    colors: [[String; 2]; TOKENS.len()],
    /// Names of pictures, in the order of [`BRAND`].
    brand: [Option<String>; 2],
}

impl Palette {
    /// The program's palette, with the operator's values in place of its own.
    pub(super) fn read(own: Option<&str>, faults: &mut Vec<ThemeProblem>) -> Self {
        let mut look = Self::default();
        [OWN].into_iter().chain(own).for_each(|text| look.put(text, faults));
        look
    }

    /// The logo before the site's name, then the icon in the browser's tab.
    pub(super) fn brand(&self) -> [Option<&str>; 2] {
        self.brand.each_ref().map(Option::as_deref)
    }

    /// The tokens as custom properties.
    pub(super) fn css(&self) -> String {
        let token = |((_, property), [light, dark]): (&(&str, &str), &[String; 2])| {
            format!("--{property}:light-dark({light},{dark})")
        };
        let tokens: Vec<String> = TOKENS.iter().zip(&self.colors).map(token).collect();
        format!(":root{{color-scheme:light dark;{}}}\n", tokens.join(";"))
    }

    fn put(&mut self, text: &str, faults: &mut Vec<ThemeProblem>) {
        let table = match text.parse::<Table>() {
            Ok(table) => table,
            Err(error) => {
                let line = error.span().map(|span| text[..span.start].lines().count().max(1));
                return faults.push(ThemeProblem::new(FILE, line, error.message()));
            }
        };
        for (name, value) in &table {
            match (name.as_str(), value) {
                ("colors", Value::Table(colors)) => self.put_colors(text, colors, faults),
                ("brand", Value::Table(brand)) => self.put_brand(text, brand, faults),
                _ => faults.push(unknown(text, "table", name, &["colors", "brand"])),
            }
        }
    }

    fn put_colors(&mut self, text: &str, colors: &Table, faults: &mut Vec<ThemeProblem>) {
        for (name, value) in colors {
            let Some(at) = TOKENS.iter().position(|(known, _)| known == name) else {
                faults.push(unknown(text, "colour", name, &TOKENS.map(|(known, _)| known)));
                continue;
            };
            let colors: Option<Vec<String>> =
                value.as_array().and_then(|both| both.iter().map(|it| color(it.as_str()?)).collect());
            match colors.and_then(|colors| colors.try_into().ok()) {
                Some(pair) => self.colors[at] = pair,
                None => {
                    let help =
                        "write it as [\"#0b5563\", \"#7fcddb\"]: for light screens, then for dark ones";
                    faults.push(at_name(text, name, format!("`{name}` is no pair of colours")).help(help));
                }
            }
        }
    }

    fn put_brand(&mut self, text: &str, brand: &Table, faults: &mut Vec<ThemeProblem>) {
        for (name, value) in brand {
            match (BRAND.iter().position(|known| known == name), value.as_str()) {
                (Some(at), Some(picture)) => self.brand[at] = Some(picture.to_owned()),
                (Some(_), None) => {
                    let fault = at_name(text, name, format!("`{name}` is no name of a file"));
                    faults.push(fault.help("write the name of a file in assets/, as \"logo.svg\""));
                }
                (None, _) => faults.push(unknown(text, "picture", name, &BRAND)),
            }
        }
    }
}

fn unknown(text: &str, what: &str, name: &str, known: &[&str]) -> ThemeProblem {
    at_name(text, name, format!("there is no {what} `{name}`")).known(name, known.iter().copied())
}

/// A fault of the line that a name begins.
fn at_name(text: &str, name: &str, what: String) -> ThemeProblem {
    ThemeProblem::new(FILE, line(text, name), what)
}

/// The line that a name begins.
fn line(text: &str, name: &str) -> Option<usize> {
    let begins = |line: &str| {
        let line = line.trim_start().trim_start_matches('[').trim_start_matches('"');
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '=', ']', '"']))
    };
    text.lines().position(begins).map(|at| at + 1)
}

fn color(text: &str) -> Option<String> {
    let hex = text.strip_prefix('#')?;
    let is_color = hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    is_color.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        Palette::read(Some(text), &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn unknown_names_are_reported_with_suggestions() {
        let messages = faults("[colors]\nlinks = [\"#000000\", \"#ffffff\"]\ntext = \"black\"\n[brands]\n");
        assert!(
            messages[0]
                .starts_with("theme.toml:4: there is no table `brands`\n  help: did you mean `brand`?"),
            "{messages:?}"
        );
        let expected = "theme.toml:2: there is no colour `links`\n  help: did you mean `link`?";
        assert!(messages[1].starts_with(expected), "{messages:?}");
        assert!(messages[2].starts_with("theme.toml:3: `text` is no pair of colours"), "{messages:?}");
        assert!(faults("[colors")[0].starts_with("theme.toml:1: "));
    }
}
