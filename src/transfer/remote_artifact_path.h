#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::transfer {

/// The argument of a command: a project or registry, a collection in it, and a version of that.
struct RemoteArtifactPath {
  std::string entity;  ///< empty for a registry
  std::string project;
  std::string registry;    ///< empty for a project
  std::string collection;  ///< empty for only a project or registry
  std::string version;     ///< empty when the argument has none

  /// Returns the API path: `/api/v1/projects/team/lab` or `/api/v1/registries/models`.
  std::string parentPath() const;
  /// Returns parentPath() followed by `/collections/<name>`.
  std::string collectionPath() const;
  /// Returns collectionPath() followed by `/versions/<version>`; `latest` without a version.
  std::string versionPath() const;
};

/// Parses `entity/project`, `entity/project/name`, `entity/project/name:alias`. For registries,
/// `svc-registry-<name>` replaces `entity/project`.
/// @return kInvalidArgument for anything else.
Result<RemoteArtifactPath> parseRemoteArtifactPath(std::string_view text);

/// Returns the reason why the path of a file must not be written below a folder; empty if it is
/// safe.
std::string_view unsafeReason(std::string_view path);

}  // namespace spindle::transfer
