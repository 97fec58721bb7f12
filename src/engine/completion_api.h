#pragma once

#include "engine/engine_api.h"

namespace spindle::engine {

/// `/v1/chat/completions` and `/v1/completions`, with and without a slash at the end.
void addCompletionRoutes(http::Router& router, const EngineParts& parts);

}  // namespace spindle::engine
