#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "otlp/span.h"

namespace spindle::otlp {

/// Bounds of one request, whatever its size in bytes: a span takes far more memory than the two
/// bytes that can stand for an empty one.
inline constexpr std::size_t kMaxSpans = 100'000;
/// Attributes, list items, events and links together.
inline constexpr std::size_t kMaxValues = 1'000'000;
/// Lists and maps inside one another, in one attribute.
inline constexpr std::size_t kMaxValueDepth = 100;

// Read the body of an export request and take it over. What is unknown is skipped; an attribute
// without a value is null, an unknown kind or status unspecified. Text that is not UTF-8 is
// repaired.
// @return kInvalidArgument with the place in the body, kTooLarge beyond the bounds.

/// ExportTraceServiceRequest in Protocol Buffers.
Result<ExportRequest> decodeProtobuf(std::string body);

/// The same in JSON: camelCase or snake_case names, ids in hex or Base64, enumerations as numbers
/// or names, 64-bit integers as numbers or strings.
Result<ExportRequest> decodeJson(std::string body);

}  // namespace spindle::otlp
