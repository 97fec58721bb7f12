#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "http/message/body_stream.h"

namespace spindle::tracing {

/// Returns a body of lines (JSON Lines). `next` returns the next lines without line breaks, none at
/// the end; it is destroyed after the last line. Calls `next` once immediately, so that a failing
/// query returns an error status. @return that error.
Result<std::shared_ptr<http::BodyStream>> jsonLinesBody(
    std::function<Result<std::vector<std::string>>()> next);

}  // namespace spindle::tracing
