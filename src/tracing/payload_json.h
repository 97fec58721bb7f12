#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/ref_conversion.h"

namespace spindle::tracing {

/// Keeps large media out of rows.
class MediaKeeper {
 public:
  virtual ~MediaKeeper() = default;

  /// @return the internal reference that stands in its place.
  virtual Result<std::string> keep(std::string_view bytes, std::string_view media_type) = 0;
};

/// Where the texts inside a payload that are more than text go: those of one caller and project.
struct PayloadPorts {
  objects::RefProjects& projects;
  MediaKeeper& media;
};

/// Lists and objects inside one another, in one payload.
inline constexpr std::size_t kMaxPayloadDepth = 200;
/// What a body may have around and inside its payloads before it is refused unread.
inline constexpr std::size_t kMaxBodyDepth = 512;

/// What is done to a payload on its way in.
struct PayloadRules {
  bool redact = false;            ///< replace credentials
  bool platform_members = false;  ///< some members of the top level belong to the platform
  bool extract_media = false;     ///< move large embedded files out
};

/// A payload ready for the store.
struct StoredPayload {
  std::string json;        ///< compact, canonical escapes
  std::int64_t bytes = 0;  ///< its size as the API counts it: with `", "` and `": "`, in ASCII
  std::vector<std::string> refs;  ///< internal forms, without repetition
};

/// @return kTooLarge beyond kMaxPayloadDepth, kInvalidArgument for a malformed reference, and the
/// errors of the ports.
Result<StoredPayload> storePayload(std::string_view json,
                                   const PayloadRules& rules,
                                   const PayloadPorts& ports);

/// The text `{"_svc":{"error":"<EXCEEDS_LIMITS>"}}`, which replaces what is too large for a row.
std::string_view exceedsLimits();
/// Its size as the API counts it.
inline constexpr std::int64_t kExceedsLimitsBytes = 39;

}  // namespace spindle::tracing
