#include "registry/artifacts/manifest.h"

#include <algorithm>
#include <utility>

#include "base/crypto/crypto.h"
#include "base/crypto/md5.h"

namespace spindle::registry {

std::string manifestDigest(const std::vector<ManifestEntry>& entries) {
  std::vector<const ManifestEntry*> sorted;
  sorted.reserve(entries.size());
  for (const ManifestEntry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const ManifestEntry* a, const ManifestEntry* b) { return a->path < b->path; });
  Md5Stream hash;
  hash.add("svc-artifact-manifest-v1\n");
  for (const ManifestEntry* entry : sorted) {
    hash.add(entry->path);
    hash.add(":");
    hash.add(entry->digest);
    hash.add("\n");
  }
  return toHex(bytesOf(hash.finish()));
}

}  // namespace spindle::registry
