#pragma once

#include "engine/api/engine_api.h"

namespace spindle::engine {

/// Adds `/v1/chat/completions` and `/v1/completions`, with and without a trailing slash.
void addCompletionRoutes(http::Router& router, const EngineParts& parts);

}  // namespace spindle::engine
