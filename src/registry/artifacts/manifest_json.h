#pragma once

#include "json/writer.h"
#include "registry/artifacts/artifact.h"

namespace spindle::registry {

/// Writes the beginning of a manifest in the format of the SDKs, up to its entries. Leaves the
/// objects open.
void beginManifest(json::Writer& out);
/// Writes one member of `contents`.
void writeManifestEntry(json::Writer& out, const ManifestEntry& entry);
/// Closes the objects of beginManifest().
void endManifest(json::Writer& out);

}  // namespace spindle::registry
