#pragma once

#include <string>
#include <vector>

#include "registry/artifact.h"

namespace spindle::registry {

/// The 32 hexadecimal digits that name a version's content: MD5 of a head line and of `path:digest`
/// lines in the order of the paths' bytes.
std::string manifestDigest(const std::vector<ManifestEntry>& entries);

}  // namespace spindle::registry
