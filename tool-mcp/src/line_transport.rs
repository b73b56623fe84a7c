//! Transports over lines that are repaired before rmcp parses them.

use crate::repaired_reader::{RepairLine, RepairedReader};
use rmcp::service::ServiceRole;
use rmcp::transport::async_rw::{self, AsyncRwTransport};
use rmcp::transport::{IntoTransport, Transport, TransportAdapterIdentity, sink_stream};
use std::error::Error;
use tokio::io::{AsyncRead, AsyncWrite};

/// The way in which rmcp makes a value a transport: the last parameter of [`IntoTransport`]. Each way of rmcp is one, so a
/// bound with this trait accepts the same values.
///
/// A reader and a writer get lines that are repaired. The messages of other transports are parsed already.
pub trait Adapter<R: ServiceRole, T, E: Error + Send + Sync + 'static> {
    #[doc(hidden)]
    fn connect(value: T, repair: RepairLine) -> impl Transport<R, Error = E> + 'static;
}

impl<R, I, O> Adapter<R, (I, O), std::io::Error> for async_rw::TransportAdapterAsyncRW
where
    R: ServiceRole,
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    fn connect(
        (reader, writer): (I, O),
        repair: RepairLine,
    ) -> impl Transport<R, Error = std::io::Error> + 'static {
        AsyncRwTransport::new(RepairedReader::new(reader, repair), writer)
    }
}

impl<R, S> Adapter<R, S, std::io::Error> for async_rw::TransportAdapterAsyncCombinedRW
where
    R: ServiceRole,
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    fn connect(stream: S, repair: RepairLine) -> impl Transport<R, Error = std::io::Error> + 'static {
        <async_rw::TransportAdapterAsyncRW as Adapter<R, _, _>>::connect(tokio::io::split(stream), repair)
    }
}

macro_rules! without_lines {
    ($($adapter:ty),*) => {
        $(impl<R, T, E> Adapter<R, T, E> for $adapter
        where
            R: ServiceRole,
            T: IntoTransport<R, E, $adapter>,
            E: Error + Send + Sync + 'static,
        {
            fn connect(value: T, _: RepairLine) -> impl Transport<R, Error = E> + 'static {
                value.into_transport()
            }
        })*
    };
}

without_lines!(
    TransportAdapterIdentity,
    sink_stream::TransportAdapterSinkStream,
    sink_stream::TransportAdapterAsyncCombinedRW
);
#[cfg(any(feature = "http-client", feature = "http-server"))]
without_lines!(rmcp::transport::worker::WorkerAdapter);
