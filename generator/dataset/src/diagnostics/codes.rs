//! The codes of rules. What each rule means is in `codes.md`, one section for each code.

use std::sync::LazyLock;

macro_rules! codes {
    ($($name:ident = $id:literal;)+) => {
        /// A rule of the input.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "codes.md explains each one")]
        pub enum Code { $($name),+ }

        impl Code {
            /// Every code, sorted.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// `E0601`.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),+ }
            }
        }
    };
}

/// The sections of `codes.md`, in the order of [`Code::ALL`].
static SECTIONS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("codes.md").split("\n## ").skip(1).collect());

impl Code {
    /// Whether it stops the build: the letter of its id.
    pub(crate) fn is_error(self) -> bool {
        self.id().starts_with('E')
    }

    /// `error` or `warning`.
    pub(super) fn severity(self) -> &'static str {
        if self.is_error() { "error" } else { "warning" }
    }

    /// What `opdir explain` prints: id and title, why it is a rule, an example, how to fix it.
    pub(crate) fn explanation(self) -> &'static str {
        SECTIONS.get(self as usize).copied().unwrap_or_default()
    }

    /// A few words.
    pub(super) fn title(self) -> &'static str {
        let line = self.explanation().lines().next().unwrap_or_default();
        line.split_once(": ").unwrap_or_default().1
    }

    /// How to fix it, in every case.
    pub(super) fn remedy(self) -> &'static str {
        self.explanation().rsplit_once("\nFix: ").unwrap_or_default().1.trim_end()
    }
}

/// The explanation of a code, in capitals or not.
pub fn explain(code: &str) -> Option<&'static str> {
    Code::ALL.iter().find(|known| known.id().eq_ignore_ascii_case(code)).map(|known| known.explanation())
}

codes! {
    NotUtf8 = "E0101";
    BadSyntax = "E0102";
    BadQuote = "E0103";
    CellCount = "E0104";
    UnknownField = "E0105";
    RepeatedField = "E0106";
    MissingField = "E0107";
    BadValue = "E0108";
    NoDataset = "E0109";
    UnreadTable = "E0110";
    NoTable = "E0111";
    BadMapping = "E0112";
    BadSource = "E0113";
    LostColumn = "E0114";
    LostEdit = "E0115";
    OtherForm = "E0116";
    UnknownWord = "E0201";
    BadSlug = "E0202";
    BadPlace = "E0203";
    BadUnit = "E0204";
    BadCurrency = "E0205";
    BadLanguage = "E0206";
    UnknownFacet = "E0207";
    WrongLicense = "E0208";
    WrongVersion = "E0209";
    BadLocales = "E0210";
    Separators = "E0211";
    ReservedSlug = "E0212";
    LabelForValue = "E0213";
    MinAboveMax = "E0301";
    ActiveContradicts = "E0302";
    OtherProgram = "E0303";
    BroaderLoop = "E0304";
    NoSlug = "E0305";
    UnreadBounds = "E0306";
    Dangling = "E0401";
    DuplicateId = "E0501";
    DuplicateSlug = "E0502";
    AliasIsSlug = "E0503";
    DuplicateAlias = "E0504";
    DuplicateKey = "E0505";
    BadUrl = "E0601";
    UrlCredentials = "E0602";
    LostLetter = "E0603";
    TextTooLong = "E0701";
    BadAge = "E0702";
    BadYear = "E0703";
    Negative = "E0704";
    BadAmount = "E0705";
    UnknownFile = "W0101";
    EmptyFile = "W0102";
    NoPrograms = "W0103";
    EmptyRow = "W0106";
    NewColumn = "W0107";
    KeptAsDraft = "W0108";
    IdleEdit = "W0109";
    DatesReversed = "W0201";
    SentinelDate = "W0202";
    StatusContradicts = "W0203";
    AcceptingAfterDeadline = "W0204";
    HistoryDisagrees = "W0205";
    ListSeparator = "W0206";
    TimesReversed = "W0213";
    NoCurrency = "W0214";
    ExcludedByText = "W0215";
    RollingWithDay = "W0216";
    StaleChecks = "W0301";
    AfterPublication = "W0304";
    RateOfPay = "W0305";
    NearDuplicate = "W0401";
    LooksLikeValue = "W0402";
    ControlsRemoved = "W0601";
    UrlEncoded = "W0602";
    SpaceTrimmed = "W0603";
    UrlLeftOut = "W0604";
    Decoded = "W0606";
    MarkupInText = "W0607";
    SpeaksToModels = "W0608";
    TraceOfConversion = "W0609";
    PrivateAddress = "W0610";
    DeadLink = "W0611";
    MovedLink = "W0612";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_section_and_every_section_its_code() {
        assert_eq!(SECTIONS.len(), Code::ALL.len());
        for code in Code::ALL {
            let text = explain(code.id()).unwrap();
            assert!(text.starts_with(&format!("{}: ", code.id())), "{text} is not the section of {code:?}");
            let paragraphs: Vec<&str> = text.trim_end().split("\n\n").collect();
            assert_eq!(paragraphs.len(), 4, "{text}");
            assert!(paragraphs[2].starts_with("Example: ") && paragraphs[3].starts_with("Fix: "), "{text}");
            assert!(!code.title().is_empty() && !code.remedy().is_empty(), "{text}");
            assert_eq!(code.remedy().lines().count(), 1, "a message is one line: {text}");
        }
        assert!(Code::ALL.is_sorted_by(|a, b| a.id() < b.id()));
        assert_eq!((explain("E9999"), explain("e0601")), (None, Some(Code::BadUrl.explanation())));
    }
}
