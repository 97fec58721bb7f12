#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "transfer/call_server.h"

namespace spindle::http {
class Client;
struct ClientRequest;
}  // namespace spindle::http

namespace spindle::transfer {

/// Sends a request and hands the body of a good answer (a status below 300) over piece by piece, in
/// the caller's thread; memory stays bounded however slow that is. What `take` returns as an error
/// ends the exchange and is returned.
/// @return the answer; its body is empty when it was handed over. Errors as of http::Client.
Result<Answer> streamAnswer(http::Client& client,
                            http::ClientRequest request,
                            const std::function<Result<void>(std::string_view)>& take);

/// The answer to a whole request.
Result<Answer> wholeAnswer(http::Client& client, http::ClientRequest request);

}  // namespace spindle::transfer
