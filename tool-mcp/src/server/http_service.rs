//! A server over streamable HTTP.

use super::Server;
use super::connection::ConnectionHandler;
use crate::surrogates::replace_lone_surrogates;
use bytes::{Buf as _, Bytes};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::convert::Infallible;
use std::fmt::{self, Display};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use tower_service::Service;

/// A [`tower` service](Service) of an MCP server: see [`Server::http_service`].
#[derive(Clone)]
pub struct HttpService {
    service: Inner,
    max_body: usize,
    server: Server,
}

type Inner = StreamableHttpService<ConnectionHandler, LocalSessionManager>;

impl HttpService {
    pub(super) fn new(server: Server, config: StreamableHttpServerConfig) -> Self {
        let (of_connection, max_body) = (server.clone(), config.max_request_body_bytes);
        let connect = move || Ok(ConnectionHandler::new(of_connection.clone()));
        let service = StreamableHttpService::new(connect, LocalSessionManager::default().into(), config);
        HttpService { service, max_body, server }
    }
}

impl<B> Service<http::Request<B>> for HttpService
where
    B: BodyExt + Send + 'static,
    B::Data: Send + 'static,
    B::Error: Display,
{
    type Response = http::Response<BoxBody<Bytes, Infallible>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<http::Request<Full<Bytes>>>::poll_ready(&mut self.service, context)
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let (mut service, max_body) = (self.service.clone(), self.max_body);
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            match read(body, max_body).await {
                // rmcp rejects a request with a lone surrogate.
                Ok(body) => {
                    let body = Full::new(Bytes::from(replace_lone_surrogates(&body).into_owned()));
                    service.call(http::Request::from_parts(parts, body)).await
                }
                Err(error) => {
                    let text = format!("the request body cannot be read: {error}");
                    let mut response = http::Response::new(Full::new(Bytes::from(text)).boxed());
                    *response.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
                    Ok(response)
                }
            }
        })
    }
}

/// Reads a body. One that is too long is longer than the limit, too, but not read to its end: rmcp rejects it.
async fn read<B>(body: B, limit: usize) -> Result<Vec<u8>, String>
where
    B: BodyExt,
    B::Error: Display,
{
    let (mut body, mut bytes) = (pin!(body), Vec::new());
    while let Some(frame) = body.frame().await {
        if let Ok(mut data) = frame.map_err(|error| error.to_string())?.into_data() {
            let data = data.copy_to_bytes(data.remaining());
            bytes.extend_from_slice(
                &data[..data.len().min(limit.saturating_add(1).saturating_sub(bytes.len()))],
            );
        }
        if bytes.len() > limit {
            break;
        }
    }
    Ok(bytes)
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService").field("server", &self.server).finish_non_exhaustive()
    }
}
