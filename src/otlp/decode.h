#pragma once

#include <cstddef>
#include <string>

#include "base/core/result.h"
#include "otlp/span.h"

namespace spindle::otlp {

/// Limits of one request, independent of its size in bytes: a span needs far more memory than the
/// two bytes that can encode an empty one.
inline constexpr std::size_t kMaxSpans = 100'000;
/// Limit of attributes, list items, events and links together.
inline constexpr std::size_t kMaxValues = 1'000'000;
/// Maximum nesting of lists and maps in one attribute.
inline constexpr std::size_t kMaxValueDepth = 100;

// Decode the body of an export request and take ownership of it. Unknown fields are skipped. An
// attribute without a value is null; an unknown kind or status is unspecified. Text that is not
// UTF-8 is repaired.
// @return kInvalidArgument with the position in the body, kTooLarge beyond the limits.

/// Decodes an ExportTraceServiceRequest in Protocol Buffers.
Result<ExportRequest> decodeProtobuf(std::string body);

/// Decodes the same message in JSON: camelCase or snake_case names, ids in hex or Base64,
/// enumerations as numbers or names, 64-bit integers as numbers or strings.
Result<ExportRequest> decodeJson(std::string body);

}  // namespace spindle::otlp
