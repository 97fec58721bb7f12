#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "base/core/result.h"
#include "transfer/call_api_client.h"

namespace spindle::http {
class Client;
struct ClientRequest;
}  // namespace spindle::http

namespace spindle::transfer {

/// Timeout of a request to the server.
inline constexpr std::chrono::milliseconds kRequestTimeout{300'000};

/// Sends a request and passes the body of a successful response (a status below 300) to `take` in
/// chunks, in the caller's thread. Memory stays bounded however slow `take` is. An error of `take`
/// ends the exchange and is returned.
/// @return the response; its body is empty if `take` received it. Errors as of http::Client.
Result<ApiResponse> streamResponse(http::Client& client,
                                   http::ClientRequest request,
                                   const std::function<Result<void>(std::string_view)>& take);

/// Sends a request and returns the response with its whole body.
Result<ApiResponse> fetchResponse(http::Client& client, http::ClientRequest request);

}  // namespace spindle::transfer
