#pragma once

#include <string>
#include <string_view>

#include "json/writer.h"
#include "registry/artifact.h"

namespace spindle::registry {

/// Begins a manifest as SDKs read it, up to its entries; members and objects are left open.
void beginManifest(json::Writer& out);
/// One member of `contents`.
void writeManifestEntry(json::Writer& out, const ManifestEntry& entry);
/// Closes what beginManifest() opened.
void endManifest(json::Writer& out);

/// The members of two JSON objects, those of the second in place of those of the first that have
/// the same name. Values keep their spelling.
std::string mergedMembers(std::string_view object, std::string_view changes);

/// How many members a JSON object has.
std::size_t memberCount(std::string_view object);

}  // namespace spindle::registry
