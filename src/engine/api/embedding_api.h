#pragma once

#include "engine/api/engine_api.h"

namespace spindle::engine {

/// Adds `/v1/embeddings`, with and without a trailing slash.
void addEmbeddingRoutes(http::Router& router, const EngineParts& parts);

}  // namespace spindle::engine
