#pragma once

#include "json/writer.h"
#include "schema/type.h"

namespace spindle::tracing {

/// The description of a call as it is shown; its text is written by callJson().
schema::Codec<json::Text> callViewCodec();

}  // namespace spindle::tracing
