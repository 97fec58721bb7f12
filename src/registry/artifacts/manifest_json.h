#pragma once

#include <string>
#include <string_view>

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

/// Merges two JSON objects: members of `changes` are added or replace members with the same name.
/// Values keep their exact text.
std::string mergedMembers(std::string_view object, std::string_view changes);

/// Returns the number of members of a JSON object.
std::size_t memberCount(std::string_view object);

}  // namespace spindle::registry
