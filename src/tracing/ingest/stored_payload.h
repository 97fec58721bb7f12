#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "objects/values/ref_conversion.h"

namespace spindle::tracing {

/// Stores large media outside of rows.
class MediaStore {
 public:
  virtual ~MediaStore() = default;

  /// @return the internal reference that replaces the media.
  virtual Result<std::string> keep(std::string_view bytes, std::string_view media_type) = 0;
};

/// Destinations of references and media inside a payload, for one caller and project.
struct PayloadPorts {
  objects::RefProjects& projects;
  MediaStore& media;
};

/// Maximum nesting of lists and objects in one payload.
inline constexpr std::size_t kMaxPayloadDepth = 200;
/// Maximum nesting of a request body; deeper bodies are rejected by the parser.
inline constexpr std::size_t kMaxBodyDepth = 512;

/// Conversions of a payload before it is stored.
struct PayloadRules {
  bool redact = false;            ///< replace credentials
  bool platform_members = false;  ///< top-level members may belong to the platform
  bool extract_media = false;     ///< extract large embedded files
};

/// A payload in its stored form.
struct StoredPayload {
  std::string json;               ///< compact, canonical escapes
  std::int64_t bytes = 0;         ///< size as the API counts it: with `", "` and `": "`, in ASCII
  std::vector<std::string> refs;  ///< internal forms, without duplicates
};

/// Converts a payload to its stored form. @return kTooLarge beyond kMaxPayloadDepth,
/// kInvalidArgument for a malformed reference, and the errors of the ports.
Result<StoredPayload> storePayload(std::string_view json,
                                   const PayloadRules& rules,
                                   const PayloadPorts& ports);

/// Returns `{"_svc":{"error":"<EXCEEDS_LIMITS>"}}`, which replaces a payload that is too large for
/// a row.
std::string_view exceedsLimits();
/// Its size as the API counts it.
inline constexpr std::int64_t kExceedsLimitsBytes = 39;

}  // namespace spindle::tracing
