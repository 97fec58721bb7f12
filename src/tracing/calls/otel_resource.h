#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/time.h"

namespace spindle::tracing {

/// The resource of OpenTelemetry spans. A project stores it once; spans and the calls made from
/// them refer to it by digest.
struct OtelResource {
  std::string digest;      ///< identifies `json` within a project
  std::string json;        ///< a JSON object
  std::int64_t bytes = 0;  ///< size, as the API counts payloads
  Timestamp seen_at;       ///< time of the request that contained it
};

/// Shared by all spans of a request with this resource.
using OtelResourcePtr = std::shared_ptr<const OtelResource>;

/// A resource up to this size is stored inside each span: a reference would not be smaller.
inline constexpr std::size_t kMaxInlineResource = 128;

/// Returns the resource with its digest. `bytes` is its size as the API counts payloads.
OtelResourcePtr makeOtelResource(std::string json, std::int64_t bytes, Timestamp seen_at);

/// Returns a copy of a span's JSON object with the member `resource` at its end. `dump` is a JSON
/// object with at least one member.
std::string withResource(std::string_view dump, std::string_view resource);

/// Replaces a resource that no longer exists.
inline constexpr std::string_view kMissingResource =
    R"({"attributes":{},"dropped_attributes_count":0})";

/// The number of bytes by which withResource() makes a span's size, as the API counts payloads,
/// exceed the sum of the sizes of both.
inline constexpr std::int64_t kResourceMemberBytes = 14;

}  // namespace spindle::tracing
