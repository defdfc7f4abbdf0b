//! Stems of folded words: one for all inflections of a word, and no other word's. `generate` and `generated` are one
//! word; `generative` is another.

use std::borrow::Cow;

use smol_str::SmolStr;

/// Stems of a folded word in English and Spanish: without number, gender and the endings of verbs.
pub fn stems(word: &str) -> [SmolStr; 2] {
    [english_stem(word), spanish_stem(word).into()]
}

/// Stems of a folded noun or adjective: `training` is no form of `train`.
pub(crate) fn noun_stems(word: &str) -> [SmolStr; 2] {
    let spanish = if is_stemmable(word) { ungendered(spanish_singular(word)) } else { word };
    [without_last_vowel(english_singular(word)), spanish.into()]
}

/// Short words, numbers and codes stand for themselves.
fn is_stemmable(word: &str) -> bool {
    word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];

/// English plurals that no ending makes.
const IRREGULAR: [(&str, &str); 8] = [
    ("women", "woman"),
    ("men", "man"),
    ("children", "child"),
    ("theses", "thesis"),
    ("crises", "crisis"),
    ("criteria", "criterion"),
    ("phenomena", "phenomenon"),
    ("bacteria", "bacterium"),
];

fn english_stem(word: &str) -> SmolStr {
    let one = english_singular(word);
    let bare = if is_stemmable(&one) { without_verb_ending(&one) } else { None };
    without_last_vowel(bare.unwrap_or(one))
}

fn english_singular(word: &str) -> Cow<'_, str> {
    if let Some((_, singular)) = IRREGULAR.iter().find(|(plural, _)| *plural == word) {
        return Cow::Borrowed(singular);
    }
    let keeps_s = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let one = word.strip_suffix('s').filter(|_| !keeps_s && is_stemmable(word)).unwrap_or(word);
    match one.strip_suffix("ie").filter(|rest| one != word && rest.len() > 1) {
        Some(rest) => format!("{rest}y").into(),
        None => one.into(),
    }
}

/// What inflections of an English word share, cut as in steps 1 and 5 of M. F. Porter's *An algorithm for suffix
/// stripping* (1980). The steps between these make stems of derived words, and are left out.
fn without_last_vowel(mut stem: Cow<'_, str>) -> SmolStr {
    if !is_stemmable(&stem) {
        return stem.into();
    }
    if let Some(rest) = stem.strip_suffix('y').filter(|rest| has_vowel(rest) && !rest.ends_with(VOWELS)) {
        stem = format!("{rest}i").into();
    }
    let may_lose_e = |rest: &str| !is_doubled(rest) || rest.ends_with("ss");
    let is_silent =
        |rest: &&str| may_lose_e(rest) && (measure(rest) > 1 || measure(rest) == 1 && !is_short(rest));
    let cut = stem.strip_suffix('e').filter(is_silent);
    let cut = cut.or_else(|| stem.strip_suffix('l').filter(|rest| rest.ends_with('l') && measure(rest) > 1));
    cut.unwrap_or(&stem).into()
}

/// An English verb without `-ed` and `-ing`: `plan` for `planning`, `care` for `caring`.
fn without_verb_ending(word: &str) -> Option<Cow<'static, str>> {
    if let Some(rest) = word.strip_suffix("eed") {
        return (measure(rest) > 0).then(|| format!("{rest}ee").into());
    }
    let rest = word.strip_suffix("ed").or_else(|| word.strip_suffix("ing"))?;
    if rest.len() < 3 || !has_vowel(rest) {
        return None;
    }
    if is_doubled(rest) && !rest.ends_with(['a', 'e', 'i', 'o', 'u', 'l', 's', 'z']) {
        return Some(rest[..rest.len() - 1].to_owned().into());
    }
    let lost_e =
        ["at", "bl", "iz"].iter().any(|end| rest.ends_with(end)) || measure(rest) == 1 && is_short(rest);
    Some(if lost_e { format!("{rest}e") } else { rest.to_owned() }.into())
}

/// Whether a word ends in the same letter twice. No e is silent there: Spanish `calle` is no form of `call`.
fn is_doubled(word: &str) -> bool {
    matches!(word.as_bytes(), [.., before, last] if before == last)
}

fn has_vowel(word: &str) -> bool {
    word.contains(VOWELS) || word.contains('y')
}

/// How often consonants follow vowels: Porter's measure of a word.
fn measure(word: &str) -> usize {
    let mut is_vowel = false;
    let follows = word.chars().filter(|c| {
        let was_vowel = is_vowel;
        is_vowel = VOWELS.contains(c) || *c == 'y' && !was_vowel;
        was_vowel && !is_vowel
    });
    follows.count()
}

/// Whether a word ends in a consonant, a vowel and a consonant, as `car` of `caring`.
fn is_short(word: &str) -> bool {
    let [.., a, b, c] = word.as_bytes() else { return false };
    let is_vowel = |letter: &u8| b"aeiouy".contains(letter);
    !is_vowel(a) && is_vowel(b) && !is_vowel(c) && !b"wx".contains(c)
}

/// Endings of verbs; folding took their accents away.
const VERB_ENDINGS: [&str; 14] =
    ["iendo", "yendo", "ieron", "ando", "aron", "ado", "ada", "ido", "ida", "ar", "er", "ir", "an", "en"];

/// Length of a stem that may be another word by itself.
const SHORT: usize = 4;

fn spanish_stem(word: &str) -> Cow<'_, str> {
    if !is_stemmable(word) {
        return word.into();
    }
    let one = spanish_singular(without_pronoun(word));
    // `doctorado` and `profesorado` are no participles.
    let is_noun = one.ends_with("torado") || one.ends_with("sorado");
    let verb = VERB_ENDINGS.iter().filter_map(|end| one.strip_suffix(end)).find(|rest| rest.len() > 3);
    let stem = verb.filter(|_| !is_noun).unwrap_or_else(|| {
        let rest = ungendered(one);
        rest.strip_suffix('e').filter(|rest| rest.len() > 2).unwrap_or(rest)
    });
    // `luz` and `luces`, `avanza` and `avance`.
    let of_z = stem.strip_suffix('c').map(|rest| format!("{rest}z"));
    // What is left of `casa` and `techo` is no word of this language: `CAS` and `tech` are others.
    let end = if stem.len() <= SHORT && stem.len() < one.len() { "o" } else { "" };
    format!("{}{end}", of_z.as_deref().unwrap_or(stem)).into()
}

fn spanish_singular(word: &str) -> &str {
    let without = |end: &str, after_vowel: bool| {
        word.strip_suffix(end).filter(|rest| rest.len() > 2 && rest.ends_with(VOWELS) == after_vowel)
    };
    without("es", false).or_else(|| without("s", true)).unwrap_or(word)
}

/// A Spanish word without its gender. `msca` is no feminine of `msc`.
fn ungendered(word: &str) -> &str {
    word.strip_suffix(['a', 'o']).filter(|rest| rest.len() > 2 && has_vowel(rest)).unwrap_or(word)
}

/// A verb without the pronoun at its end: `recuperar` for `recuperarlo`.
fn without_pronoun(word: &str) -> &str {
    let pronouns = ["los", "las", "les", "lo", "la", "le", "se", "me"];
    let rest = pronouns.iter().find_map(|end| word.strip_suffix(end));
    let is_verb =
        |rest: &&str| rest.len() > 4 && ["ar", "er", "ir", "ndo"].iter().any(|end| rest.ends_with(end));
    rest.filter(is_verb).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of a line are one word; those of different lines of a group, which slashes part, are not.
    fn hold(language: usize, groups: &[&str]) {
        for group in groups {
            let stems_of = |line: &str| -> Vec<SmolStr> {
                line.split(' ').map(|word| stems(word)[language].clone()).collect()
            };
            let lines: Vec<Vec<SmolStr>> = group.split(" / ").map(stems_of).collect();
            for (at, line) in lines.iter().enumerate() {
                assert!(line.iter().all(|stem| *stem == line[0]), "{group:?} {line:?}");
                assert!(lines[at + 1..].iter().all(|other| other[0] != line[0]), "{group:?} {line:?}");
            }
        }
    }

    #[test]
    fn english_inflections_are_one_word_and_derived_words_are_others() {
        hold(
            0,
            &[
                "generate generates generated generating / generative / generation / generator / general",
                "renew renews renewed renewing / renewable / renewal",
                "educate educating / education / educator educators / educational",
                "universe universes / university universities / universal",
                "organize organizing organized / organic / organization organizations / organ organs",
                "care cares caring cared / car cars / career careers",
                "plan plans planning planned / plane planes / plant plants planting",
                "nurse nurses nursing / nursery nurseries",
                "study studies studying studied / student students",
                "policy policies / police / polish polished",
                "business businesses / busy",
                "house houses housing / hose",
                "agree agreed agrees / agreement",
                "need needs / seed seeds seeded / feed feeds",
                "woman women / man men",
                "child children / childhood",
                "control controls controlled controlling / contra",
                "church churches / box boxes / class classes / campus campuses",
                "call calls called calling / calle",
                "string strings / spring springs / thing",
                "apply applies applied applying / apple apples / application",
            ],
        );
    }

    #[test]
    fn spanish_inflections_are_one_word_and_derived_words_are_others() {
        hold(
            1,
            &[
                "renovar renovando renovado renovadas / renovable renovables / renovacion renovaciones",
                "investigar investiga investigan investigado / investigador investigadora investigadoras",
                "recuperar recuperarlo recuperarla recuperando / recuperacion / recuperable",
                "beca becas / becario becaria becarios",
                "artista artistas / artistico artistica",
                "danza danzas danzar / danes",
                "mujer mujeres / hogar hogares / joven jovenes / lugar lugares",
                "doctor doctora doctores / doctorado doctorados",
                "luz luces / luna lunas",
                "techo techos / tech",
                "casa casas / cas",
                "mano manos / man",
                "hijo hija hijos hijas / viuda viudo viudas",
                "estudiante estudiantes / estudio estudios",
                "gobierno gobiernos / gobernacion",
                "examen examenes / imagen imagenes / comida comidas / estado estados",
                "prestamo prestamos / prestador",
                "ciudad ciudades / ciudadano ciudadana ciudadanas",
            ],
        );
    }

    #[test]
    fn short_words_numbers_and_codes_stand_for_themselves() {
        for word in ["", "gas", "h2020", "2027s", "c++", "ñandu"] {
            assert_eq!(stems(word), [word, word]);
        }
    }
}
