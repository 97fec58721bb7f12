#pragma once

#include <string>
#include <vector>

#include "registry/artifacts/artifact.h"

namespace spindle::registry {

/// Returns the digest of a manifest as 32 hexadecimal digits: the MD5 of a header line and of
/// `path:digest` lines, sorted by the bytes of the paths.
std::string manifestDigest(const std::vector<ManifestEntry>& entries);

}  // namespace spindle::registry
