#pragma once

#include <cstdint>

#include "base/core/result.h"
#include "objects/values/ref_conversion.h"
#include "tracing/calls/call.h"
#include "tracing/routes/call_json.h"
#include "wire/spelling.h"

namespace spindle::tracing {

/// Returns the number of characters to read for previews of that many bytes: more than they show,
/// so that a reference at the end is whole.
std::int64_t previewCharacters(std::int64_t bytes);

/// Replaces every payload of more than `bytes` bytes by
/// `{"preview": <its first bytes as a text>, "bytes": <its size>}`. The object of a summary also
/// has its `usage`. The preview of an exception shows the plain text and is added to the extras.
/// The call was read with previewCharacters(). @return errors of `projects`.
Result<void> showPreviews(Call& call,
                          CallExtras& extras,
                          std::int64_t bytes,
                          objects::RefProjects& projects,
                          wire::Spelling spelling);

}  // namespace spindle::tracing
