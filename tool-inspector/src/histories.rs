//! The histories that the page opens.

use crate::api_error::ApiError;
use crate::extract::AddressQuery;
use crate::history_text::History;
use crate::session_source::{SessionEntry, SessionSource};
use crate::state::{Inspection, Shared};
use crate::timeline::Timeline;
use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use tool_runtime::message::Prices;

/// The prices of a million tokens, from the form of the page.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct PriceQuery {
    input: Option<f64>,
    output: Option<f64>,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
}

impl PriceQuery {
    /// `None` if the form has no prices.
    fn prices(self) -> Result<Option<Prices>, ApiError> {
        let all = [self.input, self.output, self.cached_input, self.cache_write];
        if all.into_iter().flatten().any(|price| !price.is_finite() || price < 0.0) {
            return Err(ApiError::bad_request("a price is not a number, or is below 0"));
        }
        let (Some(input), Some(output)) = (self.input, self.output) else { return Ok(None) };
        let mut prices = Prices::per_million(input, output);
        if let Some(price) = self.cached_input {
            prices = prices.cached_input(price);
        }
        if let Some(price) = self.cache_write {
            prices = prices.cache_write(price);
        }
        Ok(Some(prices))
    }
}

/// A history that the user has pasted, or a file.
pub(crate) async fn pasted(
    State(shared): State<Shared>,
    AddressQuery(query): AddressQuery<PriceQuery>,
    text: String,
) -> Result<Json<Timeline>, ApiError> {
    timeline(&shared, query, text).await
}

/// The history that the program has set.
pub(crate) async fn first(
    State(shared): State<Shared>,
    AddressQuery(query): AddressQuery<PriceQuery>,
) -> Result<Json<Timeline>, ApiError> {
    let text = shared.settings.history.clone();
    let text = text.ok_or_else(|| ApiError::not_found("there is no history"))?;
    timeline(&shared, query, text).await
}

/// The stored sessions of the program.
pub(crate) async fn list(State(shared): State<Shared>) -> Result<Json<Vec<SessionEntry>>, ApiError> {
    let listed = sessions(&shared)?.list().await;
    listed.map(Json).map_err(|error| ApiError::internal(format!("the sessions cannot be listed: {error}")))
}

/// A stored session of the program.
pub(crate) async fn stored(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    AddressQuery(query): AddressQuery<PriceQuery>,
) -> Result<Json<Timeline>, ApiError> {
    let loaded = sessions(&shared)?.load(&id).await;
    let text =
        loaded.map_err(|error| ApiError::internal(format!("the session cannot be loaded: {error}")))?;
    let text = text.ok_or_else(|| ApiError::not_found(format!("there is no session `{id}`")))?;
    timeline(&shared, query, text).await
}

fn sessions(shared: &Inspection) -> Result<&dyn SessionSource, ApiError> {
    shared
        .settings
        .sessions
        .as_deref()
        .ok_or_else(|| ApiError::not_found("this inspector has no stored sessions"))
}

async fn timeline(
    shared: &Inspection,
    query: PriceQuery,
    text: impl AsRef<str> + Send + 'static,
) -> Result<Json<Timeline>, ApiError> {
    let prices = query.prices()?.or(shared.settings.prices);
    let _permit = shared.timeline.acquire().await.map_err(ApiError::internal)?;
    let read =
        move || History::read(text.as_ref()).map(|history| Json(Timeline::new(&history, prices.as_ref())));
    let ended = tokio::task::spawn_blocking(read).await;
    let ended = ended.map_err(|error| ApiError::internal(format!("the inspector failed: {error}")))?;
    ended.map_err(ApiError::bad_request)
}
