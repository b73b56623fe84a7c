//! What `self` cannot be.

use super::inputs::check_lifetime;
use crate::faults::Faults;
use crate::meant::Tool;
use syn::{Error, FnArg, Receiver, ReceiverKind, Type};

pub(super) fn check(tool: &Tool, faults: &mut Faults) {
    let Some(FnArg::Receiver(receiver)) = tool.function.signature.inputs.first() else { return };
    if !tool.is_method {
        let message = "a tool has no `self` outside a toolset; put `#[toolset]` on the type's own `impl`";
        faults.push(Error::new(receiver.self_token.span, message));
    } else if !is_shared(receiver) {
        let message =
            "the tools of a toolset run side by side; take `&self`, and keep what changes behind a lock";
        faults.push(Error::new(receiver.self_token.span, message));
    } else if let ReceiverKind::Reference(_, lifetime, _) = &receiver.kind {
        check_lifetime(lifetime.as_ref(), faults);
    }
}

/// `&self` or `self: &Self`
fn is_shared(receiver: &Receiver) -> bool {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
        ReceiverKind::Typed(_, ty) => match &**ty {
            Type::Reference(reference) => {
                let is_self = matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("Self"));
                reference.mutability.is_none() && is_self
            }
            _ => false,
        },
        _ => false,
    }
}
