#include "registry/artifacts/manifest_json.h"

#include "registry/artifacts/names.h"

namespace spindle::registry {

void beginManifest(json::Writer& out) {
  out.beginObject().key("version").integer(1);
  out.key("storagePolicy").string("svc-storage-policy-v1");
  out.key("storagePolicyConfig").beginObject().key("storageLayout").string("V2").endObject();
  out.key("contents").beginObject();
}

void writeManifestEntry(json::Writer& out, const ManifestEntry& entry) {
  out.key(entry.path).beginObject().key("digest").string(entry.digest);
  out.key("size").integer(entry.size);
  if (entry.ref) out.key("ref").string(*entry.ref);
  if (entry.birth_id) out.key("birthArtifactID").string(artifactIdText(*entry.birth_id));
  if (entry.extra) out.key("extra").raw(*entry.extra);
  out.endObject();
}

void endManifest(json::Writer& out) { out.endObject().endObject(); }

}  // namespace spindle::registry
