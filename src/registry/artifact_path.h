#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::registry {

/// A version as people and programs write it.
struct ArtifactPath {
  std::optional<std::int64_t> id;  ///< when set, nothing else is but `entry`
  std::string entity;              ///< empty: not said
  std::string project;             ///< empty: not said
  std::string collection;
  std::string version = "latest";  ///< number or alias
  bool says_version = false;       ///< it was in the text
  std::string entry;               ///< a file inside it; empty: the version itself
};

/// True for what begins with `svc-artifact://`, in whichever spelling.
bool isArtifactUri(std::string_view text);

/// Reads `name:alias`, `project/name:alias`, `entity/project/name:alias`, the last also behind
/// `svc-artifact:///` or `svc-artifact://`, `svc-artifact://_id/<base64 id>` and
/// `svc-artifact://<hex id>/<path>`. @return kInvalidArgument for anything else.
Result<ArtifactPath> parseArtifactPath(std::string_view text);

/// `svc-artifact://_id/…` of a version.
std::string artifactUri(std::int64_t id);

}  // namespace spindle::registry
