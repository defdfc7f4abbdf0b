//! The table of rule codes: identity, title, why it is a rule, an example, how to mend it. Codes
//! are stable: a retired one is never used again.
//!
//! Families: 01 reading, 02 values, 03 one record against itself, 04 references, 05 uniqueness,
//! 06 safety, 07 limits. `E` stops the build, `W` does not.

use super::Severity;

macro_rules! codes {
    ($($name:ident = $id:literal, $title:literal, $why:literal, $example:literal, $fix:literal;)+) => {
        /// A rule of the input; `text` tells what each one is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "the table below documents each one")]
        pub enum Code { $($name),+ }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// `E0601`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),+ }
            }

            /// A few words.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title),+ }
            }

            /// What `opdir explain` prints.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => concat!(
                        $id, ": ", $title, "\n\n", $why, "\n\nExample: ", $example, "\n\nFix: ", $fix, "\n"
                    )),+
                }
            }

            /// How to mend it, said of every case.
            #[must_use]
            pub const fn remedy(self) -> &'static str {
                match self { $(Self::$name => $fix),+ }
            }
        }
    };
}

impl Code {
    /// Whether it stops the build: the letter of its identity.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self.id().as_bytes()[0] {
            b'E' => Severity::Error,
            _ => Severity::Warning,
        }
    }
}

codes! {
    NotUtf8 = "E0101", "the file is not UTF-8",
        "Every input file is UTF-8, with or without a byte order mark. Guessing another encoding would publish wrong letters.",
        "`Españá` saved by a spreadsheet as Windows-1252 holds the single byte F1 for ñ.",
        "save the file as UTF-8, or convert it: iconv -f windows-1252 -t utf-8 old.csv > new.csv";
    BadSyntax = "E0102", "the JSON is broken",
        "A line of an .ndjson or .jsonl file is one JSON object; a .json file is an array of objects or, in a folder, one object.",
        "`{\"slug\": \"ocean\",}` has a comma too many.",
        "correct the JSON at the line and column given; `jq . file` shows the same place.";
    BadQuote = "E0103", "a CSV quote is not closed where it should be",
        "A cell that starts with a double quote ends at the next single double quote; quotes inside are doubled. An open quote swallows the lines after it.",
        "`1,\"says \"yes\" to all,2`.",
        "double the quotes inside the cell (`\"says \"\"yes\"\" to all\"`) or add the missing one at the line given.";
    CellCount = "E0104", "a CSV row has more or fewer cells than the header",
        "Cells are told apart by position, so a missing or extra comma moves every value after it into the wrong field.",
        "a name with a comma that is not in quotes: `1,Foo, Inc.,US`.",
        "put cells with commas into double quotes; keep empty cells as `,,`.";
    UnknownField = "E0105", "the field is not known",
        "A misspelt field would otherwise vanish without a word. Fields that start with `x_` are ignored and may hold anything.",
        "`sumary` for `summary`.",
        "use the known name, or rename the field to `x_…` if it is only for you.";
    RepeatedField = "E0106", "the field or column occurs twice",
        "Two values for one field cannot both be right.",
        "a CSV header with two columns `name`.",
        "keep one of them.";
    MissingField = "E0107", "a required field is missing or empty",
        "Some fields make a record what it is; null and an empty CSV cell count as missing.",
        "a program without `officialUrl`.",
        "add the value, or mark the record `\"publication\": \"draft\"` once it has the required fields.";
    BadValue = "E0108", "the value is not of the field's type",
        "Dates are `2026-01-31`, times `2026-01-31T09:00:00Z`, ids are UUIDs, sums are plain numbers.",
        "`\"deadlineOn\": \"31/01/2026\"` or `\"awardYear\": \"2026\"`.",
        "write the value in the form that the message names.";
    NoDataset = "E0109", "dataset.json is missing",
        "It says what the dataset is called, under which licence and when it was published; without it the folder may not be a dataset at all.",
        "`--data` names the parent of the dataset folder.",
        "name the folder that holds dataset.json, or write one; `opdir init` gives a start.";
    UnreadTable = "E0110", "a table's file is in a form that is not read",
        "A spreadsheet or a file nearly named like a table is a table that would be missing, with all its rows, without a word.",
        "`programs.xlsx`, `program.csv`, `awards.ndjson.gz`.",
        "save it as .csv or .ndjson under the table's name; hide what is not meant to be read with a leading dot.";
    NoTable = "E0111", "a table is missing",
        "A directory needs organizations and programs, and a table that others refer to cannot be absent. Told once for each table.",
        "no `recipients` beside 7,000 awards.",
        "add the table; an empty one says that there are none.";
    BadMapping = "E0112", "import.toml cannot be used",
        "The mapping of an import names a source's columns and the fields they become. What it does not know, it does not guess.",
        "`[sources.grants.programs] nmae = \"Title\"`.",
        "use the word that the message proposes; `opdir import DATA --draft --from FILE` writes a mapping from a source.";
    BadSource = "E0113", "the source cannot be read",
        "A source is a table, workbook or document with bounds on its size; one that was cut off, or unpacks without end, is left alone.",
        "a pipe whose command failed, a workbook with a password.",
        "export it again; a workbook can be saved as .csv.";
    LostColumn = "E0114", "a mapped column is gone",
        "A column that was renamed or left out would empty a field of every record.",
        "`Deadline` became `Closing date`.",
        "write the new name into import.toml, or take the field out of it.";
    LostEdit = "E0115", "an edit has lost its record",
        "An edit names its record by `key`, `slug` or `id`. When there is no such record, what it corrected would come back.",
        "a row of `edits/programs.csv` whose `key` is no longer in the source.",
        "correct the `key`, or remove the row.";
    UnknownWord = "E0201", "the word is not one of the values this field takes",
        "These fields have a closed list of words; case matters.",
        "`\"lifecycle\": \"active\"`.",
        "use one of the words that the message lists.";
    BadSlug = "E0202", "the slug is not in the normal form",
        "Slugs become addresses and file names: lower-case letters a–z and digits, in groups joined by single hyphens, at most 200 characters.",
        "`Ocean_Fellows` or `ocean--fellows`.",
        "write it as `ocean-fellows`; requests for other spellings are led to it.";
    BadPlace = "E0203", "the code is not a place",
        "Places are ISO 3166-1 alpha-2 codes, UN M49 regions of three digits, or ISO 3166-2 subdivisions; countries of organizations and recipients are alpha-2 codes only. Another code would never match a filter.",
        "`UK` (the code is `GB`), `Kenya`, `USA`.",
        "use the code: `GB`, `KE`, `US`, `002` for Africa, `001` for the world, `US-PA` for a state.";
    BadUnit = "E0204", "the duration has no known unit",
        "Durations are compared in days, so a duration with bounds needs one of `day`, `week`, `month`, `year`.",
        "`{\"kind\": \"duration\", \"min\": 2, \"unit\": \"semester\"}`.",
        "convert the bounds to a known unit and keep the source's words in `text`.";
    BadCurrency = "E0205", "the currency is not an ISO 4217 code",
        "Three capital letters name a currency everywhere.",
        "`€` or `Euro` for `EUR`.",
        "use the code.";
    BadLanguage = "E0206", "the language is not a BCP 47 tag",
        "The language of the original text is published and read aloud by screen readers.",
        "`Spanish` for `es`, `pt_BR` for `pt-BR`.",
        "use the tag.";
    UnknownFacet = "E0207", "the vocabulary names an unknown facet",
        "A label belongs to a facet; a label for another name would never be shown.",
        "`topic` for `topics`.",
        "use the facet's path name.";
    WrongLicense = "E0208", "the licence is not CC BY 4.0",
        "The export promises `CC BY 4.0` to everybody, so the dataset must be published under it.",
        "`\"license\": \"CC-BY-4.0\"`.",
        "write exactly `CC BY 4.0`, if that is true.";
    WrongVersion = "E0209", "the schema version is not 1",
        "The number tells which rules the files follow; this program knows version 1.",
        "`\"schemaVersion\": \"2\"`.",
        "write `\"schemaVersion\": \"1\"`, or use the program that knows the other version.";
    BadLocales = "E0210", "the dataset's languages do not fit together",
        "A directory is published in English and Spanish; texts that are not there in one fall back to the original.",
        "`\"locales\": [\"en\"]`.",
        "leave `locales` out, or name both.";
    Separators = "E0211", "the number has a separator in it",
        "`3.000` is three thousand in one country and three in another, and so is `1,5` against `1.5`. A wrong guess publishes a sum a thousand times too large or too small.",
        "`3.000`, `1,500` or `€1.500,00` in `fundingMaxUsd`.",
        "write the number with digits and, if it has cents, one decimal point: 3000 or 3000.50. `opdir import` takes the source's form when import.toml declares it, as `numbers = \"1.234,56\"`.";
    ReservedSlug = "E0212", "the slug is the name of another page",
        "Hosts of static files answer a folder with its page `index` and what is not there with `404`.",
        "a program with the slug `index`.",
        "make it longer: `index-fellowship`.";
    MinAboveMax = "E0301", "the least is above the most",
        "An empty interval never matches a filter.",
        "`\"fundingMinUsd\": 30000, \"fundingMaxUsd\": 12000`.",
        "swap the two, or correct the one that is wrong.";
    ActiveContradicts = "E0302", "`active` contradicts `lifecycle`",
        "A program is active exactly when its lifecycle starts with `active_`.",
        "`\"active\": true, \"lifecycle\": \"ended\"`.",
        "leave `active` out; it follows from `lifecycle`.";
    OtherProgram = "E0303", "the cycle belongs to another program",
        "An award or fact that names a cycle is about that cycle's program.",
        "an award of program A in a cycle of program B.",
        "correct `programId` or `cycleId`.";
    BroaderLoop = "E0304", "a vocabulary value contains itself",
        "`broader` leads upwards; following it must end.",
        "`a` is in `b`, `b` is in `a`.",
        "empty `broader` of the widest value.";
    NoSlug = "E0305", "this kind of record has no slug",
        "Only organizations, programs and recipients have slugs, and so aliases.",
        "an alias with `\"entityType\": \"cycle\"`.",
        "remove the alias.";
    UnreadBounds = "E0306", "the fact's bounds or unit mean nothing",
        "Only ages and durations are compared with `min` and `max`, and only durations have a `unit`; elsewhere nobody would read them.",
        "`{\"kind\": \"funding\", \"min\": 1000}`.",
        "state a sum as `amount` and `currency`, funding in US dollars in the program's `fundingMinUsd` and `fundingMaxUsd`.";
    Dangling = "E0401", "the reference leads nowhere",
        "A record names another one by id, and there is no record of that kind with that id, neither published nor draft.",
        "a cycle whose `programId` was deleted.",
        "add the missing record, correct the id, or remove this record.";
    DuplicateId = "E0501", "the id occurs twice",
        "An id is one record's identity within its table.",
        "a row copied to start a new one.",
        "give the newer record a new UUID.";
    DuplicateSlug = "E0502", "the slug occurs twice",
        "A slug is one record's address; drafts and withdrawn records keep theirs.",
        "two programs with the slug `travel-grants`.",
        "make one more precise: `travel-grants-acme`.";
    AliasIsSlug = "E0503", "the alias is a canonical slug",
        "An address cannot lead to a record and to another one's page at once.",
        "the alias `acme` when an organization's slug is `acme`.",
        "remove the alias.";
    DuplicateAlias = "E0504", "the alias occurs twice",
        "A redirect has one target.",
        "`nsf` for two organizations.",
        "keep one of them.";
    DuplicateKey = "E0505", "the row repeats another one",
        "There is one translation for a record and language, and one label for a facet's value.",
        "two Spanish translations of one program.",
        "merge the two rows.";
    BadUrl = "E0601", "the address is not an http(s) URL",
        "Addresses become links on pages and in feeds; other schemes can run code or lead nowhere.",
        "`www.example.org`, `javascript:…`, `ftp://…`.",
        "write the whole address with `https://`; an e-mail address belongs into a text.";
    UrlCredentials = "E0602", "the address holds a user name or a password",
        "Published, it would be everybody's; and what stands before the `@` makes an address look like another one's.",
        "`https://me:secret@example.org/`, `https://bank.example@evil.example/`.",
        "take out what stands between `//` and `@`.";
    LostLetter = "E0603", "a letter was lost in conversion",
        "Spreadsheets write Windows-1252. Converted as Latin-1, its letters €, “ ”, ‘ ’ and – become controls, which nobody sees.",
        "`P \\u0080 Two` for `P € Two`.",
        "convert the original again: iconv -f windows-1252 -t utf-8 old.csv > new.csv";
    TextTooLong = "E0701", "the text is too long",
        "A field holds at most 100 KB; more is nearly always a broken quote or a pasted file.",
        "a description of 300,000 characters.",
        "shorten it and link to the long text.";
    BadAge = "E0702", "the age is impossible",
        "Ages are years from 0 to 150.",
        "`{\"kind\": \"age\", \"max\": 1990}`: a year of birth.",
        "write years of age.";
    BadYear = "E0703", "the year is impossible",
        "Years of awards and cohorts lie from 1900 to 2100.",
        "`\"awardYear\": 20019`.",
        "correct the year.";
    Negative = "E0704", "the amount is negative",
        "Sums and durations start at 0; money given back is no award.",
        "`\"awardAmountUsd\": -500`.",
        "correct the amount, or leave it out.";
    BadAmount = "E0705", "the sum is impossible",
        "Sums lie from one cent to 1,000,000,000,000,000, or are 0.",
        "`\"awardAmountUsd\": 1e30` or `0.004`.",
        "correct the sum, or leave it out.";
    UnknownFile = "W0101", "the file or folder is not read",
        "Its name is not one of a table; it may have been meant as one.",
        "`notes.pdf`, a folder `old`.",
        "rename it; hide what is not meant to be read with a leading dot.";
    EmptyFile = "W0102", "the file is empty",
        "It has no rows, which often means that an export stopped early.",
        "`awards.ndjson` of 0 bytes.",
        "write it again, or remove it.";
    OtherSeparator = "W0104", "cells are separated otherwise than by commas",
        "Spreadsheets of many countries write semicolons, others tabs or bars. The separator that makes fields of the header's cells was taken.",
        "`slug;name;officialUrl`.",
        "nothing has to be done; who exports the file again may choose commas.";
    HeaderUnderstood = "W0105", "a column was understood by another name",
        "The header says the field's name in other words or with other capitals and spaces, and means one field. It was taken.",
        "`Official URL` for `officialUrl`.",
        "`opdir check --fix` writes the field's name into the header.";
    EmptyRow = "W0106", "the row is empty",
        "Spreadsheets export rows of separators alone below the last one, and between groups.",
        "`,,,,`.",
        "delete the row at its source.";
    NewColumn = "W0107", "a column of the source is not mapped",
        "A source that grew may say something worth publishing. Columns that are known and not wanted stand in `ignore`.",
        "a new column `Contact`.",
        "map it, or add it to the source's `ignore` in import.toml.";
    KeptAsDraft = "W0108", "a row that fails was kept as a draft",
        "The source's `broken` is `draft`: the row is written without what failed, and is not published.",
        "a deadline that is no date.",
        "correct the row at its source.";
    IdleEdit = "W0109", "an edit says what the source says",
        "The source was corrected meanwhile; the edit would only hide its next change.",
        "a row of `edits/programs.csv` whose cell is the source's.",
        "remove the cell or the row.";
    NoPrograms = "W0103", "no program is published",
        "A directory without programs answers every search with nothing.",
        "all programs are drafts.",
        "publish one.";
    DatesReversed = "W0201", "a date is after the one that should follow it",
        "A season opens before its deadline, and what is funded starts before it ends.",
        "`\"opensOn\": \"2026-05-01\", \"deadlineOn\": \"2026-04-01\"`.",
        "check the source; if it is wrong there, leave the doubtful date out.";
    SentinelDate = "W0202", "the date looks like a placeholder",
        "Dates from 2100 on, or up to 1970-01-01, usually stand for “none” in some database and would be published as if real.",
        "`\"deadlineOn\": \"9999-12-31\"`.",
        "leave the date out; for no deadline, state `\"status\": \"rolling\"`.";
    StatusContradicts = "W0203", "the stated status contradicts the dates",
        "The published status follows from the dates; the stated one only fills in where they are silent. Seen on the day of publication.",
        "`\"status\": \"open\"` with a deadline last year.",
        "update the dates, or the status.";
    AcceptingAfterDeadline = "W0204", "it accepts applications, but every season is over",
        "A program that is `active_accepting` should have a season that is open, rolling or upcoming on the day of publication.",
        "the only deadline was last month.",
        "add the new season, or set the lifecycle to `active_between_cycles`.";
    HistoryDisagrees = "W0205", "the lifecycle history ends elsewhere",
        "The newest transition should lead to the program's lifecycle.",
        "the history ends in `paused`, the program is `ended`.",
        "add the missing transition, or correct the lifecycle.";
    ListSeparator = "W0206", "a list item holds the list separator",
        "Lists in CSV are joined by `|`, so readers of the export will see two items.",
        "`\"fields\": [\"Arts|Music\"]`.",
        "make two items of it.";
    SlugMade = "W0208", "a slug was made from the name",
        "A record's slug is its address. Made from the name, it moves when the name does; written down, it stays.",
        "a program `Ocean Fellows` without a `slug`, published as `ocean-fellows`.",
        "`opdir check --fix` writes it down.";
    NamedByName = "W0209", "a record is named by its name",
        "A reference by name leads elsewhere when the name changes or another record takes it; a slug or a `key` stays.",
        "`organization` is `Acme Foundation`, the only organization of that name.",
        "write the slug of the record, or its `key`.";
    NoLifecycle = "W0210", "no lifecycle is stated",
        "Whether a program takes applications is what readers want to know first. What nobody stated is published as `unclear`.",
        "a program without `lifecycle`.",
        "state `lifecycle`: `active_accepting`, `active_between_cycles`, `paused`, `ended` …";
    PlaceUnderstood = "W0211", "a place was understood by its name",
        "Exact names in English and Spanish, and a few that everybody writes, have one reading. The code was taken.",
        "`UK` for `GB`, `España` for `ES`.",
        "`opdir check --fix` writes the code down.";
    LabelUnderstood = "W0212", "a value was understood by its label",
        "The word is the label of a vocabulary's value, in English or Spanish. The value was taken.",
        "`Fellowship` for `fellowship`.",
        "`opdir check --fix` writes the value down.";
    TimesReversed = "W0213", "it was changed before it was made",
        "`updatedAt` is never before `createdAt`: order and news of the directory follow from both.",
        "`\"createdAt\": \"2026-05-02T00:00:00Z\", \"updatedAt\": \"2026-05-01T00:00:00Z\"`.",
        "correct the one that is wrong; a first version has both alike.";
    NoCurrency = "W0214", "the amount has no currency",
        "A sum is worth nothing until it says of which money; readers would take dollars.",
        "`{\"kind\": \"note\", \"amount\": 5000}`.",
        "add `currency`, an ISO 4217 code.";
    StaleChecks = "W0301", "sources were last checked more than a year before publication",
        "Readers trust what was looked at lately. Counted once for the whole dataset.",
        "`\"sourceCheckedAt\": \"2023-01-01T00:00:00Z\"` in a dataset published in 2026.",
        "read the sources again and set the date.";
    MissingTranslation = "W0302", "records have no text in a published language",
        "Readers of that language get the original text. Counted once for each table and language.",
        "a program without a Spanish translation.",
        "add rows to `translations`.";
    NoStamps = "W0303", "rows have no times of their own",
        "When a record was made and changed orders news and feeds. Without times of their own, and without stamps, all rows change with every publication. Counted once for each table.",
        "programs without `createdAt` and `updatedAt`, and no `stamps.csv`.",
        "`opdir stamp` keeps them still: it writes `stamps.csv`, and moves only the rows that changed.";
    AfterPublication = "W0304", "records were changed after the dataset was published",
        "`publishedAt` is the moment that the dataset stands for; caches and news go by it. Counted once for each table.",
        "`\"updatedAt\": \"2026-09-01T00:00:00Z\"` in a dataset published in August.",
        "set `publishedAt` to the moment of this publication, or correct the row.";
    RateOfPay = "W0305", "the funding looks like a rate of pay",
        "`fundingMinUsd` and `fundingMaxUsd` are what one award pays in all; filters compare them so. Below US$ 100 beside a word for an hour, a week or a month they are a wage.",
        "`\"fundingMaxUsd\": 25` beside `$20-$25/hour`.",
        "state the sum of the whole award, or leave the amounts out and keep the source's words in a fact.";
    NearDuplicate = "W0401", "two programs of one organization have the same name",
        "Often the same program entered twice; capitals and accents do not count.",
        "`Travel Grants` and `TRAVEL GRANTS` of one organization.",
        "merge them, or tell them apart in the name.";
    LooksLikeValue = "W0402", "the value is nearly a common one",
        "A slip of the pen makes a filter value of its own that hardly anybody finds. Values in `vocabulary` are meant.",
        "`Fellowhsip` once, `fellowship` 840 times.",
        "use the common value, or add this one to `vocabulary`.";
    ControlsRemoved = "W0601", "invisible characters were removed",
        "Controls other than tab and line ends, marks that turn the direction of writing, and characters without a shape (tags, spaces of no width, variation selectors) garble pages or hide text that only programs and language models read. They were taken out; U+200C, U+200D and U+FE0F stay.",
        "a name followed by a sentence in tag characters, U+E0020 to U+E007E.",
        "correct the text at its source.";
    UrlEncoded = "W0602", "the address was percent-encoded",
        "A URI is ASCII without spaces. The address was encoded as browsers do.",
        "`https://example.org/convocatoria-año`.",
        "write it encoded: `https://example.org/convocatoria-a%C3%B1o`.";
    SpaceTrimmed = "W0603", "space around a text was removed",
        "Leading and trailing white space breaks sorting and comparing. It was taken out.",
        "`\" Acme Foundation\"`.",
        "trim the text at its source.";
    UrlLeftOut = "W0604", "the address cannot be opened and was left out",
        "It starts like a web address, but no browser can open it. Where an address is optional, the record goes on without it; a required one is E0601.",
        "`http://Blog:example.org`: what follows the colon is no port.",
        "correct the address.";
    UrlCompleted = "W0605", "an address without a scheme was completed",
        "What begins with `www.` is the address of a web page. `https://` was put before it.",
        "`www.example.org/grants`.",
        "`opdir check --fix` writes it down.";
    Decoded = "W0606", "UTF-8 that was read as Latin-1 was read right",
        "Three characters that are together one letter's bytes, a control among them, have one reading. It was taken.",
        "`worldâ\\u0080\\u0099s` for `world’s`.",
        "correct the text at its source.";
    MarkupInText = "W0607", "the text holds HTML",
        "Texts are plain: pages, feeds and programs show a tag as it stands, brackets and all.",
        "`<b>Deadline</b>`.",
        "take the tags out.";
}
