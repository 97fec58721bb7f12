#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "http/route.h"
#include "identity/permissions.h"
#include "registry/artifact.h"
#include "registry/artifact_view_api.h"
#include "registry/registry_api.h"

namespace spindle::registry {

/// What a text that names a version may leave unsaid, and where it stands in the request.
struct NamedContext {
  PlacePath where;
  std::vector<LocStep> loc;
};

/// A version that somebody named.
struct NamedVersion {
  Place place;  ///< where it was found
  Version version;
  std::string entry_path;  ///< the file inside it that was named
};

/// The committed version that a text names, in any form of a path or as `art_…`, for one who may
/// read it; in a registry for one who may do `in_registry`.
/// @return kInvalidSchema for a text that names nothing; kNotFound, the same for all that is not
/// there or not to be seen; kPermissionDenied.
Result<NamedVersion> findNamed(const RegistryServices& services,
                               const http::Context& context,
                               const std::string& text,
                               const NamedContext& unsaid,
                               identity::Action in_registry);

}  // namespace spindle::registry
