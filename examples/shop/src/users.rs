//! Users: a cookie, created on the first visit. A real shop has a login here.

use crate::Shop;
use crate::database::DatabaseError;
use crate::request_error::RequestError;
use axum::extract::{Request, State};
use axum::http::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use axum::middleware::Next;
use axum::response::Response;
use rusqlite::OptionalExtension as _;
use std::fmt;
use std::sync::Arc;

const NAME: &str = "shop_user";

/// The user of a request. Handlers receive it as an `Extension`, and tools as `#[state]` of the run context.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct User(pub(crate) i64);

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "user {}", self.0)
    }
}

/// Middleware of the server: finds the user by the cookie, or creates one.
pub(crate) async fn identify(
    State(shop): State<Arc<Shop>>,
    mut request: Request,
    next: Next,
) -> Result<Response, RequestError> {
    let (user, new_token) = match find(&shop, request.headers()).await? {
        Some(user) => (user, None),
        None => create(&shop).await?,
    };
    request.extensions_mut().insert(user);
    let mut response = next.run(request).await;
    if let Some(token) = new_token {
        // `SameSite` keeps other sites from sending requests in the name of the user.
        let cookie = format!("{NAME}={token}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict");
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
    }
    Ok(response)
}

async fn find(shop: &Shop, headers: &HeaderMap) -> Result<Option<User>, DatabaseError> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
    let token = cookies.flat_map(|cookies| cookies.split(';')).find_map(|cookie| {
        let (name, token) = cookie.trim().split_once('=')?;
        (name == NAME).then(|| token.to_owned())
    });
    let Some(token) = token else { return Ok(None) };
    let sql = "SELECT id FROM users WHERE token = ?1";
    shop.database.run(move |connection| connection.query_row(sql, [token], read).optional()).await
}

async fn create(shop: &Shop) -> Result<(User, Option<String>), RequestError> {
    let token = random_token()?;
    let stored = token.clone();
    let sql = "INSERT INTO users (token) VALUES (?1) RETURNING id";
    let user = shop.database.run(move |connection| connection.query_row(sql, [stored], read)).await?;
    Ok((user, Some(token)))
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<User> {
    row.get(0).map(User)
}

/// 128 random bits.
pub(crate) fn random_token() -> Result<String, RequestError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(RequestError::internal)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(random)))
}
