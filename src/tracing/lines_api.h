#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/body_stream.h"

namespace spindle::tracing {

/// A body of lines. `next` gives the next ones without their line breaks, none at the end; what it
/// holds on to is let go when it has given the last. It is asked for the first lines at once, so
/// that a query that fails has a status of its own; @return that error.
Result<std::shared_ptr<http::BodyStream>> linesOf(
    std::function<Result<std::vector<std::string>>()> next);

}  // namespace spindle::tracing
