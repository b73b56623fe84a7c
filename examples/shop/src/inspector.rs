//! The page for developers: the tools, the sessions of all users, and their runs. It is at `/inspector` if `SHOP_INSPECTOR` is set.

use crate::Shop;
use crate::sessions::Sessions;
use crate::users::User;
use axum::Router;
use tool_runtime::dispatch::RunContext;
use tool_runtime::session::HookFuture;
use tool_runtime_inspector::{Inspector, SessionEntry, SessionSource};

/// The user of the calls of the page.
const DEVELOPER: User = User(0);

pub(crate) fn router(shop: &Shop) -> Router {
    let Some(runs) = &shop.live_runs else { return Router::new() };
    let registry = shop.registry.with(&RunContext::new().state(DEVELOPER));
    let inspector = Inspector::new(&registry).title("Shop").sessions(shop.sessions.clone()).live_runs(runs);
    Router::new().nest("/inspector", inspector.router())
}

impl SessionSource for Sessions {
    fn list(&self) -> HookFuture<'_, Vec<SessionEntry>> {
        Box::pin(async { Ok(self.entries().await?) })
    }

    fn load<'a>(&'a self, id: &'a str) -> HookFuture<'a, Option<String>> {
        Box::pin(async move { Ok(self.text(id).await?) })
    }
}
