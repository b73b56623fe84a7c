//! The options of a dynamic tool that `#[tool(..)]` has too.

use super::{Annotations, DynamicTool, Metadata, Options};
use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;

impl DynamicTool {
    /// Sets all annotations, for example those that a remote server declares. Default: none is declared.
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use tool_runtime::registry::Annotations;
    /// use tool_runtime::{DynamicTool, Registry};
    ///
    /// let remote = json!({ "name": "search", "annotations": { "readOnlyHint": true, "openWorldHint": false } });
    /// let hint = |name: &str| remote["annotations"][name].as_bool();
    /// let mut annotations = Annotations::default();
    /// annotations.read_only = hint("readOnlyHint");
    /// annotations.destructive = hint("destructiveHint");
    /// annotations.idempotent = hint("idempotentHint");
    /// annotations.open_world = hint("openWorldHint");
    ///
    /// let search = DynamicTool::new("search", "Searches.", Value::Null, |_| async { Ok::<_, String>("nothing") });
    /// let registry = Registry::builder().dynamic(search.annotations(annotations)).build()?;
    /// assert_eq!(registry.tool("search").map(|tool| tool.annotations), Some(annotations));
    /// assert_eq!((annotations.read_only, annotations.destructive), (Some(true), None));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn annotations(self, annotations: Annotations) -> Self {
        self.with_options(|options| options.annotations(annotations))
    }

    /// The annotations that were set.
    ///
    /// ```
    /// use tool_runtime::DynamicTool;
    /// use tool_runtime::serde_json::Value;
    ///
    /// let search = DynamicTool::new("search", "Searches.", Value::Null, |_| async { Ok::<_, String>("nothing") });
    /// assert!(search.read_only().declared_annotations().is_read_only());
    /// ```
    #[must_use]
    pub fn declared_annotations(&self) -> Annotations {
        self.options.annotations
    }

    /// Declares that the tool changes nothing: [`Annotations::read_only`].
    #[must_use]
    pub fn read_only(self) -> Self {
        self.with_options(|options| options.read_only(true))
    }

    /// Declares that the tool may delete or overwrite data: [`Annotations::destructive`].
    #[must_use]
    pub fn destructive(self) -> Self {
        self.with_options(|options| options.destructive(true))
    }

    /// Declares that a second call with the same arguments has no additional effect: [`Annotations::idempotent`].
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.with_options(|options| options.idempotent(true))
    }

    /// Declares that the tool interacts with systems outside the application: [`Annotations::open_world`].
    #[must_use]
    pub fn open_world(self) -> Self {
        self.with_options(|options| options.open_world(true))
    }

    /// Requires approval of each call: [`Policy::requires_approval`](crate::registry::Policy::requires_approval).
    #[must_use]
    pub fn requires_approval(self) -> Self {
        self.with_options(Options::requires_approval)
    }

    /// Runs each call alone in its reply, in order: [`Policy::exclusive`](crate::registry::Policy::exclusive).
    #[must_use]
    pub fn exclusive(self) -> Self {
        self.with_options(Options::exclusive)
    }

    /// Declares that the tool may run again from its beginning: [`Policy::resumable`](crate::registry::Policy::resumable).
    #[must_use]
    pub fn resumable(self) -> Self {
        self.with_options(Options::resumable)
    }

    /// Sets the time limit of a call, which must be more than zero. Default: the
    /// [`timeout`](crate::RegistryBuilder::timeout) of the registry.
    ///
    /// A handler that blocks cannot be interrupted; await `tokio::task::spawn_blocking` in it. Needs a Tokio runtime
    /// with time enabled.
    #[must_use]
    pub fn timeout(self, limit: Duration) -> Self {
        self.with_options(|options| options.timeout(limit))
    }

    /// Sets the number of calls of the tool that run at the same time, which must be more than zero:
    /// [`Policy::max_concurrency`](crate::registry::Policy::max_concurrency). Default: no limit other than that of the
    /// registry.
    #[must_use]
    pub fn max_concurrency(self, calls: usize) -> Self {
        self.with_options(|options| options.max_concurrency(calls))
    }

    /// Sets the number of calls of the tool that may begin with one [`RunContext`](crate::RunContext), which must be
    /// more than zero:
    /// [`Policy::max_calls`](crate::registry::Policy::max_calls). Default: no limit other than that of the registry.
    #[must_use]
    pub fn max_calls(self, calls: usize) -> Self {
        self.with_options(|options| options.max_calls(calls))
    }

    /// Sets the title, a name for people. Default: no title.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        let metadata = Metadata { title: Some(Cow::Owned(title.into())), ..self.metadata };
        DynamicTool { metadata, ..self }
    }

    /// Sets the JSON Schema of the result:
    /// [`RegisteredTool::output_schema`](crate::registry::RegisteredTool::output_schema). Default: no schema.
    ///
    /// Results are not validated against it. It has the same limits of size as `parameters`.
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use tool_runtime::{DynamicTool, Registry};
    ///
    /// let now = DynamicTool::new("now", "The time.", Value::Null, |_| async { Ok::<_, String>(json!({"hour": 12})) });
    /// let now = now.title("Clock").output_schema(json!({"type": "object", "required": ["hour"]}));
    /// let registry = Registry::builder().dynamic(now).build()?;
    /// assert_eq!(registry.tool("now").and_then(|tool| tool.title), Some("Clock"));
    /// assert_eq!(registry.tool("now").and_then(|tool| tool.output_schema), Some(&json!({"type": "object", "required": ["hour"]})));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn output_schema(self, schema: Value) -> Self {
        let metadata = Metadata { output_schema: Some(schema), ..self.metadata };
        DynamicTool { metadata, ..self }
    }

    fn with_options(self, set: impl FnOnce(Options) -> Options) -> Self {
        DynamicTool { options: set(self.options), ..self }
    }
}
