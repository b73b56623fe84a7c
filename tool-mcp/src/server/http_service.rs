//! A server over streamable HTTP.

use super::Server;
use super::connection::ConnectionHandler;
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::convert::Infallible;
use std::fmt::{self, Display};
use std::pin::Pin;
use std::task::{Context, Poll};
use tower_service::Service;

/// A [`tower` service](Service) of an MCP server: see [`Server::http_service`].
#[derive(Clone)]
pub struct HttpService {
    service: Inner,
    server: Server,
}

type Inner = StreamableHttpService<ConnectionHandler, LocalSessionManager>;

impl HttpService {
    pub(super) fn new(server: Server, config: StreamableHttpServerConfig) -> Self {
        let of_connection = server.clone();
        let connect = move || Ok(ConnectionHandler::new(of_connection.clone()));
        let service = StreamableHttpService::new(connect, LocalSessionManager::default().into(), config);
        HttpService { service, server }
    }
}

impl<B> Service<http::Request<B>> for HttpService
where
    B: http_body_util::BodyExt + Send + 'static,
    B::Data: Send + 'static,
    B::Error: Display,
{
    type Response = http::Response<BoxBody<Bytes, Infallible>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<http::Request<B>>::poll_ready(&mut self.service, context)
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        self.service.call(request)
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService").field("server", &self.server).finish_non_exhaustive()
    }
}
