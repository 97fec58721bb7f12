#pragma once

#include <string>

#include "base/core/error.h"
#include "http/message/message.h"

namespace spindle::http {

/// Returns the HTTP status of an error code. No other code maps error codes to statuses.
int statusOf(ErrorCode code);

/// Returns the complete response for an error, with headers. Logs the message of an internal error
/// and omits it from the response.
Response errorResponse(const Error& error, ErrorShape shape);

}  // namespace spindle::http
