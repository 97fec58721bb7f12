#pragma once

#include <cstddef>
#include <string>

#include "json/document.h"

namespace spindle::json {

/// The depth up to which JSON is read that the server has accepted before or wrote itself. Larger
/// than `limits.json_depth` at its maximum (1000) plus every level that the server puts around a
/// value, so that no setting and no input makes stored JSON unreadable.
inline constexpr std::size_t kStoredDepth = 2000;

/// Parses JSON that was valid when it was stored. @throws std::runtime_error when it is not valid
/// any more, that is, when the storage is damaged: a request then ends with 500.
Document parseStored(std::string text);

}  // namespace spindle::json
