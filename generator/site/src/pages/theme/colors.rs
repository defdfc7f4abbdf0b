//! `theme.toml`: colours of pages as twelve tokens, each for light and for dark screens, and the pictures of a brand.
//! Text needs a minimum contrast to its background in both schemes.

use toml::{Table, Value};

use super::problem::ThemeProblem;

/// The program's own `theme.toml`.
pub(super) const OWN: &str = include_str!("../../../assets/theme.toml");
/// Name of the file.
pub(super) const FILE: &str = "theme.toml";

/// Names of the tokens, and of their CSS custom properties.
pub(super) const TOKENS: [(&str, &str); 12] = [
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
/// Foreground tokens and the background tokens that they appear on.
const READ: [(&str, &[&str]); 8] = [
    ("text", &["background", "surface", "mark"]),
    ("quiet", &["background", "surface"]),
    ("link", &["background", "surface"]),
    ("on-button", &["button"]),
    ("open", &["background", "surface"]),
    ("soon", &["background", "surface"]),
    ("next", &["background", "surface"]),
    // Links can contain highlighted words.
    ("link", &["mark"]),
];
/// Minimum contrast of text (WCAG 2.2, 1.4.3).
const LEAST: f64 = 4.5;
const SCHEMES: [&str; 2] = ["light", "dark"];
/// Pictures of a brand: where each is shown.
const BRAND: [&str; 2] = ["logo", "icon"];

/// Red, green and blue.
type Color = [u8; 3];

/// The contents of `theme.toml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Palette {
    /// By token, light and dark.
    colors: Vec<[Color; 2]>,
    /// Names of pictures, in the order of [`BRAND`].
    brand: [Option<String>; 2],
}

impl Palette {
    /// The program's palette, with the operator's values in place of its own.
    pub(super) fn read(own: Option<&str>, faults: &mut Vec<ThemeProblem>) -> Self {
        let mut look = Self { colors: vec![[[0; 3]; 2]; TOKENS.len()], brand: [None, None] };
        look.put(OWN, faults);
        if let Some(text) = own {
            look.put(text, faults);
            look.contrast(text, faults);
        }
        look
    }

    /// The logo before the site's name, then the icon in the browser's tab.
    pub(super) fn brand(&self) -> [Option<&str>; 2] {
        self.brand.each_ref().map(Option::as_deref)
    }

    /// The tokens as custom properties.
    pub(super) fn css(&self) -> String {
        let hex = |[red, green, blue]: Color| format!("#{red:02x}{green:02x}{blue:02x}");
        let token = |((_, property), [light, dark]): (&(&str, &str), &[Color; 2])| {
            format!("--{property}:light-dark({},{})", hex(*light), hex(*dark))
        };
        let tokens: Vec<String> = TOKENS.iter().zip(&self.colors).map(token).collect();
        format!(":root{{color-scheme:light dark;{}}}\n", tokens.join(";"))
    }

    /// Tokens that differ from the program's: name, this, that.
    pub(super) fn differing(&self) -> Vec<String> {
        let own = Self::read(None, &mut Vec::new());
        let named = TOKENS.iter().zip(self.colors.iter().zip(&own.colors));
        named.filter(|(_, (this, own))| this != own).map(|((name, _), _)| (*name).to_owned()).collect()
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
            let pair: Option<Vec<Color>> =
                value.as_array().and_then(|both| both.iter().map(|it| color(it.as_str()?)).collect());
            match pair.as_deref() {
                Some([light, dark]) => self.colors[at] = [*light, *dark],
                _ => {
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

    /// Reports foreground colours with too little contrast to a background.
    fn contrast(&self, text: &str, faults: &mut Vec<ThemeProblem>) {
        let color = |name: &str, scheme: usize| {
            let at = TOKENS.iter().position(|(known, _)| *known == name).unwrap_or_default();
            self.colors[at][scheme]
        };
        for (front, grounds) in READ {
            for (ground, scheme) in grounds.iter().flat_map(|ground| [(ground, 0), (ground, 1)]) {
                let ratio = contrast(color(front, scheme), color(ground, scheme));
                if ratio >= LEAST {
                    continue;
                }
                // The line of the operator's colour: the other one may be the program's.
                let at = line(text, front).or_else(|| line(text, ground));
                let rounded = (ratio * 100.0).floor() / 100.0;
                let what = format!(
                    "`{front}` on `{ground}` has a contrast of {rounded} : 1 on {} screens",
                    SCHEMES[scheme]
                );
                let help = format!("text needs {LEAST} : 1 (WCAG 2.2 AA)");
                faults.push(ThemeProblem::new(FILE, at, what).help(help));
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

fn color(text: &str) -> Option<Color> {
    let hex =
        text.strip_prefix('#').filter(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let part = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    Some([part(0)?, part(2)?, part(4)?])
}

/// The ratio of two colours' luminance, from 1 to 21 (WCAG 2.2).
fn contrast(a: Color, b: Color) -> f64 {
    let luminance = |color: Color| {
        let [red, green, blue] = color.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
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
    fn contrast_is_that_of_the_standard() {
        // Pairs whose ratios WebAIM's checker gives.
        for (a, b, expected) in [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48)] {
            let ratio = contrast(color(a).unwrap(), color(b).unwrap());
            assert!((ratio - expected).abs() < 0.05, "{a} on {b}: {ratio}");
        }
    }

    #[test]
    fn the_programs_own_colours_have_enough_contrast() {
        assert_eq!(faults(OWN), [""; 0]);
    }

    #[test]
    fn insufficient_contrast_is_reported_with_ratio_and_scheme() {
        let messages = faults("[colors]\nlink = [\"#7fcddb\", \"#7fcddb\"]\n");
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert!(
            messages[0].starts_with("theme.toml:2: `link` on `background` has a contrast of 1.7"),
            "{messages:?}"
        );
        assert!(messages[0].contains("on light screens\n  help: text needs 4.5 : 1"), "{messages:?}");
    }

    #[test]
    fn unknown_names_are_reported_with_suggestions() {
        let messages = faults("[colors]\nlinks = [\"#000000\", \"#ffffff\"]\ntext = \"black\"\n[brands]\n");
        assert!(
            messages[0]
                .starts_with("theme.toml:4: there is no table `brands`\n  help: did you mean `brand`?"),
            "{messages:?}"
        );
        assert!(
            messages[1].starts_with("theme.toml:2: there is no colour `links`\n  help: did you mean `link`?"),
            "{messages:?}"
        );
        assert!(messages[2].starts_with("theme.toml:3: `text` is no pair of colours"), "{messages:?}");
        assert!(faults("[colors")[0].starts_with("theme.toml:1: "));
    }
}
