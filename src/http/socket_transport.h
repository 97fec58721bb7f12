#pragma once

#include <memory>

#include "http/transport.h"

namespace boost::asio {
class io_context;
namespace ssl {
class context;
}
}  // namespace boost::asio

namespace spindle::http {

/// Takes over a connected TCP or Unix socket. `tls` is null for plain HTTP and otherwise outlives the
/// transport. Owns `descriptor` from here on; null when it is of no use.
std::unique_ptr<Transport> makeSocketTransport(boost::asio::io_context& io,
                                               int descriptor,
                                               bool ipv6,
                                               boost::asio::ssl::context* tls);

}  // namespace spindle::http
