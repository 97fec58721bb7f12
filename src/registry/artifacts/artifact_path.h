#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::registry {

/// A parsed path or URI of a version.
struct ArtifactPath {
  std::optional<std::int64_t> id;  ///< if set, all other members except `entry` are unset
  std::string entity;              ///< empty: not in the text
  std::string project;             ///< empty: not in the text
  std::string collection;
  std::string version = "latest";  ///< number or alias
  bool has_version = false;        ///< true if the text contains the version
  std::string entry;               ///< a file inside the version; empty: the version itself
};

/// Returns true if the text begins with `svc-artifact://`, in either wire profile.
bool isArtifactUri(std::string_view text);

/// Parses `name:alias`, `project/name:alias` and `entity/project/name:alias`, the last one also
/// after `svc-artifact:///` or `svc-artifact://`; and `svc-artifact://_id/<base64 id>` and
/// `svc-artifact://<hex id>/<path>`. @return kInvalidArgument for any other text.
Result<ArtifactPath> parseArtifactPath(std::string_view text);

/// Returns the URI `svc-artifact://_id/…` of a version.
std::string artifactUri(std::int64_t id);

}  // namespace spindle::registry
