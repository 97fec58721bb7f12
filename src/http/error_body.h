#pragma once

#include <string>

#include "base/error.h"
#include "http/message.h"

namespace spindle::http {

/// The one place where domain error codes become HTTP statuses.
int statusOf(ErrorCode code);

/// The whole answer for an error, headers included. An internal error is logged and answered
/// without its text.
Response errorResponse(const Error& error, ErrorShape shape);

}  // namespace spindle::http
