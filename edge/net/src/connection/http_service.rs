//! What answers the requests of a connection.

use std::convert::Infallible;
use std::error::Error;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::service::Service;

/// A service that answers every request.
///
/// Implemented by every hyper [`Service`] of the right shape; it only names the bounds once.
pub trait HttpService:
    Service<Request<Incoming>, Response = Response<Self::Payload>, Error = Infallible>
{
    /// The response body.
    type Payload: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static;
}

impl<S, B> HttpService for S
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
{
    type Payload = B;
}
