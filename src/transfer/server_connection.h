#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/crypto/secret.h"
#include "http/client/client.h"
#include "transfer/call_api_client.h"

namespace spindle::transfer {

/// Timeout of a request to the server.
inline constexpr std::chrono::milliseconds kRequestTimeout{300'000};

struct ServerAddress {
  std::string url;           ///< `http://127.0.0.1:8080`
  Secret key;                ///< API key
  std::string ca_file = {};  ///< CA certificates that replace those of the system; may be empty
};

/// Keep-alive connections to one server. For one thread at a time; calls block. Errors are those of
/// http::Client.
class ServerConnection {
 public:
  /// @throws std::runtime_error when ca_file cannot be read.
  explicit ServerConnection(ServerAddress address);

  /// Returns a request to the server with the API key.
  http::ClientRequest request(http::Method method, const std::string& path) const;

  /// Sends a request and returns the response with its whole body.
  Result<ApiResponse> fetch(http::ClientRequest request);

  /// Sends a request and passes the body of a successful response (a status below 300) to `take` in
  /// chunks, in the caller's thread. Memory stays bounded however slow `take` is. An error of
  /// `take` ends the exchange and is returned.
  /// @return the response; its body is empty if `take` received it.
  Result<ApiResponse> stream(http::ClientRequest request,
                             const std::function<Result<void>(std::string_view)>& take);

  /// Returns the error of a request without a response, with the URL of the server.
  Error noResponse(const Error& error) const;

 private:
  const ServerAddress address_;
  http::Client client_;
};

/// Returns the body of a request that consists of the first `size` bytes of a file. Calls `sent`
/// with the number of bytes sent so far, on the thread of the client.
http::RequestBodySource fileBody(const std::string& path,
                                 std::uint64_t size,
                                 const std::function<void(std::uint64_t)>& sent);

}  // namespace spindle::transfer
