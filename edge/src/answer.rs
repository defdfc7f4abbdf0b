//! Answers to GET: a pure function of the state, the request and the time.

mod changes;
mod computed;
mod details;
mod files;
mod pages;
mod queries;

use http::{HeaderValue, Method};
use snapshot::page::changes as change_pages;

use crate::reply::Reply;
use crate::request::{Answer, Request};
use crate::route::Route;

pub use self::pages::{HTML, POLICY};

impl Request {
    /// Answers GET, HEAD and OPTIONS on any route but the tools, or returns the work that this would take.
    pub(crate) fn answer(&self) -> Answer {
        if self.head.method == Method::OPTIONS {
            return Reply::options().into();
        }
        match self.route {
            Route::Search => self.search(),
            Route::Facet => self.facet(),
            Route::List(list) => self.list(list),
            Route::Details => self.details(),
            Route::Changes => self.changes(change_pages::LINES),
            Route::ChangesPage => self.changes(change_pages::PAGE),
            Route::ChangesFeed => self.changes_feed(),
            Route::Page => self.page(),
            Route::Record(kind) => self.record(kind),
            Route::Export => self.export(),
            Route::OpenApi => self.openapi(),
            Route::Tools | Route::UnknownApi => Reply::not_found("There is nothing at this path.").into(),
        }
    }

    /// `Cache-Control` of what depends on the day.
    fn until_midnight(&self) -> HeaderValue {
        self.state.until_midnight(self.now)
    }
}
