#pragma once

#include "json/writer.h"
#include "schema/type.h"

namespace spindle::tracing {

/// Describes the schema of a call in responses; callJson() writes its JSON.
schema::Codec<json::Text> callViewCodec();

/// The schema of one line of a list of calls: a call; with `preview_bytes`, `cursor` or
/// `include_cursor`, a call with only some members and with previews; at the end, the cursor.
schema::TypePtr callLineType();
/// The schema of a list of calls in one object.
schema::TypePtr callListType();

}  // namespace spindle::tracing
