#pragma once

#include "json/writer.h"
#include "schema/type.h"

namespace spindle::tracing {

/// Describes the schema of a call in responses; callJson() writes its JSON.
schema::Codec<json::Text> callViewCodec();

}  // namespace spindle::tracing
