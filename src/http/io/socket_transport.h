#pragma once

#include <memory>

#include "http/io/transport.h"

namespace boost::asio {
class io_context;
namespace ssl {
class context;
}
}  // namespace boost::asio

namespace spindle::http {

/// Returns a transport for a connected TCP or Unix socket and takes ownership of `descriptor`.
/// `tls` is null for plain HTTP and otherwise must outlive the transport. Returns null if the
/// socket is not usable.
std::unique_ptr<Transport> makeSocketTransport(boost::asio::io_context& io,
                                               int descriptor,
                                               bool ipv6,
                                               boost::asio::ssl::context* tls);

}  // namespace spindle::http
