//! `theme.toml`: colours of pages as twelve tokens, each for light and for dark screens, and the pictures of a brand.
//! What is read on a ground has to stand out from it, in both schemes.

use toml::{Table, Value};

use super::problem::ThemeProblem;

/// The program's own.
pub(super) const OWN: &str = include_str!("../../../assets/theme.toml");
/// Its name.
pub(super) const FILE: &str = "theme.toml";

/// Names of the tokens, and of the custom properties that style sheets know them by.
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
/// What is read on which grounds.
const READ: [(&str, &[&str]); 8] = [
    ("text", &["background", "surface", "mark"]),
    ("quiet", &["background", "surface"]),
    ("link", &["background", "surface"]),
    ("on-button", &["button"]),
    ("open", &["background", "surface"]),
    ("soon", &["background", "surface"]),
    ("next", &["background", "surface"]),
    // Words of links are marked too.
    ("link", &["mark"]),
];
/// Least contrast of text (WCAG 2.2, 1.4.3).
const LEAST: f64 = 4.5;
const SCHEMES: [&str; 2] = ["light", "dark"];
/// Pictures of a brand: where each is shown.
const BRAND: [&str; 2] = ["logo", "icon"];

/// Red, green and blue.
type Color = [u8; 3];

/// What `theme.toml` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Palette {
    /// By token, light and dark.
    colors: Vec<[Color; 2]>,
    /// Names of pictures, in the order of [`BRAND`].
    brand: [Option<String>; 2],
}

impl Palette {
    /// The program's, with what an operator says put over it.
    pub(super) fn read(own: Option<&str>, faults: &mut Vec<ThemeProblem>) -> Self {
        let mut look = Self { colors: vec![[[0; 3]; 2]; TOKENS.len()], brand: [None, None] };
        look.put(OWN, faults);
        if let Some(text) = own {
            look.put(text, faults);
            look.contrast(text, faults);
        }
        look
    }

    /// The picture that stands before the name, then the one in the browser's tab.
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
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                let error: toml::de::Error = error;
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
                _ => faults.push(
                    ThemeProblem::new(FILE, line(text, name), format!("`{name}` is no pair of colours"))
                        .help(
                            "write it as [\"#0b5563\", \"#7fcddb\"]: for light screens, then for dark ones",
                        ),
                ),
            }
        }
    }

    fn put_brand(&mut self, text: &str, brand: &Table, faults: &mut Vec<ThemeProblem>) {
        for (name, value) in brand {
            match (BRAND.iter().position(|known| known == name), value.as_str()) {
                (Some(at), Some(picture)) => self.brand[at] = Some(picture.to_owned()),
                (Some(_), None) => {
                    let fault =
                        ThemeProblem::new(FILE, line(text, name), format!("`{name}` is no name of a file"));
                    faults.push(fault.help("write the name of a file in assets/, as \"logo.svg\""));
                }
                (None, _) => faults.push(unknown(text, "picture", name, &BRAND)),
            }
        }
    }

    /// What cannot be read on its ground.
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
                // The line of what was written: the other may be the program's.
                let at = line(text, front).or_else(|| line(text, ground));
                let told = (ratio * 100.0).floor() / 100.0;
                let what = format!(
                    "`{front}` on `{ground}` has a contrast of {told} : 1 on {} screens",
                    SCHEMES[scheme]
                );
                faults.push(
                    ThemeProblem::new(FILE, at, what).help(format!("text needs {LEAST} : 1 (WCAG 2.2 AA)")),
                );
            }
        }
    }
}

fn unknown(text: &str, what: &str, name: &str, known: &[&str]) -> ThemeProblem {
    let fault = ThemeProblem::new(FILE, line(text, name), format!("there is no {what} `{name}`"));
    fault.known(name, known.iter().copied())
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
    fn our_own_colours_can_be_read() {
        assert_eq!(faults(OWN), [""; 0]);
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_ratio_and_its_scheme() {
        let told = faults("[colors]\nlink = [\"#7fcddb\", \"#7fcddb\"]\n");
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(
            told[0].starts_with("theme.toml:2: `link` on `background` has a contrast of 1.7"),
            "{told:?}"
        );
        assert!(told[0].contains("on light screens\n  help: text needs 4.5 : 1"), "{told:?}");
    }

    #[test]
    fn what_is_not_known_is_told_with_what_is() {
        let told = faults("[colors]\nlinks = [\"#000000\", \"#ffffff\"]\ntext = \"black\"\n[brands]\n");
        assert!(
            told[0].starts_with("theme.toml:4: there is no table `brands`\n  help: did you mean `brand`?"),
            "{told:?}"
        );
        assert!(
            told[1].starts_with("theme.toml:2: there is no colour `links`\n  help: did you mean `link`?"),
            "{told:?}"
        );
        assert!(told[2].starts_with("theme.toml:3: `text` is no pair of colours"), "{told:?}");
        assert!(faults("[colors")[0].starts_with("theme.toml:1: "));
    }
}
