#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/error.h"
#include "http/router/route.h"
#include "identity/types/permissions.h"
#include "registry/artifacts/artifact.h"
#include "registry/routes/artifact_view.h"
#include "registry/routes/registry_api.h"

namespace spindle::registry {

/// Defaults for a path without team or project, and the location of the path in the request.
struct ArtifactPathContext {
  PlacePath where;
  std::vector<LocStep> loc;
};

/// A resolved version.
struct ResolvedVersion {
  Place place;  ///< project or registry in which it was found
  Version version;
  std::string entry_path;  ///< file inside the version, if the text names one
};

/// Resolves a text, any form of a path or `art_…`, to the committed version that it names. The
/// caller needs read permission for a project, and `in_registry` for a registry.
/// @return kInvalidSchema for a malformed text; kNotFound, the same for a version that does not
/// exist and for one that the caller cannot see; kPermissionDenied.
Result<ResolvedVersion> resolveVersion(const RegistryServices& services,
                                       const http::Context& context,
                                       const std::string& text,
                                       const ArtifactPathContext& path_context,
                                       identity::Action in_registry);

}  // namespace spindle::registry
