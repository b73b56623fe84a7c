//! Validation of `self`.

use super::params::validate_lifetime;
use crate::errors::Errors;
use crate::model::Tool;
use syn::{Error, FnArg, Receiver, ReceiverKind, Type};

pub(super) fn validate(tool: &Tool, errors: &mut Errors) {
    let Some(FnArg::Receiver(receiver)) = tool.function.signature.inputs.first() else { return };
    if !tool.is_method {
        let message = "a tool cannot take `self` outside a toolset; apply `#[toolset]` to the inherent `impl` of the type";
        errors.push(Error::new(receiver.self_token.span, message));
    } else if !is_shared(receiver) {
        let message = "a method of a toolset must take `&self`, because its calls run concurrently; \
                       keep mutable data in a lock, such as `Mutex`";
        errors.push(Error::new(receiver.self_token.span, message));
    } else if let ReceiverKind::Reference(_, lifetime, _) = &receiver.kind {
        validate_lifetime(lifetime.as_ref(), errors);
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
