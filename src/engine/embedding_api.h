#pragma once

#include "engine/engine_api.h"

namespace spindle::engine {

/// `/v1/embeddings`, with and without a slash at the end.
void addEmbeddingRoutes(http::Router& router, const EngineParts& parts);

}  // namespace spindle::engine
