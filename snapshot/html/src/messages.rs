//! Messages: the words and phrases that the edge writes into pages.

/// Declares the messages of the edge, each with its key in the locale files.
macro_rules! words {
    ($($name:ident = $key:literal),+ $(,)?) => {
        /// A message that the edge writes; the snapshot contains its text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the keys describe them")]
        pub enum Message { $($name),+ }

        impl Message {
            /// Keys of all messages, in order.
            pub const KEYS: &'static [&'static str] = &[$($key),+];
        }
    };
}

words! {
    Open = "state_open",
    ClosingSoon = "state_closing_soon",
    Rolling = "state_rolling",
    Upcoming = "state_upcoming",
    Closed = "state_closed",
    Unknown = "state_unknown",
    Doubtful = "state_doubtful",
    Passed = "state_passed",
    OpenWhenChecked = "state_open_when_checked",
    NotKnown = "when_not_known",
    MonthsAgo = "when_months_ago",
    LastDeadline = "when_last_deadline",
    ByDatesOpen = "by_dates_open",
    ByDatesUpcoming = "by_dates_upcoming",
    ByDatesClosed = "by_dates_closed",
    Closes = "when_closes",
    Deadline = "when_deadline",
    AnyTime = "when_any_time",
    NoDeadline = "when_no_deadline",
    Today = "when_today",
    Tomorrow = "when_tomorrow",
    InDays = "when_in_days",
    Date = "date",
    Month = "month",
    January = "month_1",
    February = "month_2",
    March = "month_3",
    April = "month_4",
    May = "month_5",
    June = "month_6",
    July = "month_7",
    August = "month_8",
    September = "month_9",
    October = "month_10",
    November = "month_11",
    December = "month_12",
    ResultsOne = "results_one",
    ResultsOther = "results_other",
    NoResults = "results_none",
    CloseOne = "results_close_one",
    CloseOther = "results_close_other",
    WiderOne = "results_wider_one",
    WiderOther = "results_wider_other",
    WiderOnly = "results_wider_only",
    Invalid = "search_invalid",
    NoOrganization = "organization_none",
    OrganizationAsWords = "organization_as_words",
    Organizations = "organizations_title",
    Remove = "search_remove",
    ClearAll = "search_clear",
    Yes = "search_yes",
    Organization = "search_organization",
    SearchTitle = "search_title",
    Through = "search_through",
    Previous = "page_previous",
    Next = "page_next",
    PageOf = "page_of",
    Pages = "pages",
    AllValues = "facet_all",
    SortDeadline = "sort_deadline",
    SortName = "sort_name",
    SortRecent = "sort_recent",
    SortRelevance = "sort_relevance",
    TierWider = "tier_wider",
    TierGuess = "tier_guess",
    TierUnstated = "tier_unstated",
    TierMost = "tier_most",
    TierSome = "tier_some",
    Guessed = "search_guessed",
    Nowhere = "search_nowhere",
    Country = "search_country",
    AsWords = "search_as_words",
    Silent = "search_silent",
    PastEnd = "search_past",
    First = "page_first",
    WithoutOne = "search_without",
    NoDeadlines = "deadlines_none",
    DeadlinesByMonth = "deadlines_by_month",
    MoreDeadlines = "deadlines_more",
}
