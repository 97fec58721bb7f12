#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::transfer {

/// What a command names: a project or registry, a collection in it, a version of that.
struct ArtifactAddress {
  std::string entity;  ///< empty for a registry
  std::string project;
  std::string registry;    ///< empty for a project
  std::string collection;  ///< empty when only the place is named
  std::string version;     ///< empty when none is named

  /// `/api/v1/projects/team/lab` or `/api/v1/registries/models`.
  std::string placePath() const;
  /// …`/collections/<name>`
  std::string collectionPath() const;
  /// …`/versions/<version>`; the newest when none is named.
  std::string versionPath() const;
};

/// Reads `entity/project`, `entity/project/name`, `entity/project/name:alias`; with
/// `svc-registry-<name>` in the place of `entity/project` for registries.
/// @return kInvalidArgument for anything else.
Result<ArtifactAddress> parseAddress(std::string_view text);

/// Why a path of an entry cannot be written below a folder; empty when it can.
std::string_view unsafeReason(std::string_view path);

}  // namespace spindle::transfer
