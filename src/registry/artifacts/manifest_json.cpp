#include "registry/artifacts/manifest_json.h"

#include <utility>
#include <vector>

#include "json/document.h"
#include "json/stored.h"
#include "registry/artifacts/names.h"

namespace spindle::registry {
namespace {

json::Document parsed(std::string_view object) { return json::parseStored(std::string(object)); }

}  // namespace

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

std::string mergedMembers(std::string_view object, std::string_view changes) {
  const json::Document before = parsed(object);
  const json::Document after = parsed(changes);
  // The iterators return name and value alternately.
  std::vector<std::pair<std::string, std::string_view>> members;
  const auto put = [&members](std::string name, std::string_view value) {
    for (auto& [known, old] : members) {
      if (known != name) continue;
      old = value;
      return;
    }
    members.emplace_back(std::move(name), value);
  };
  for (const json::Document* document : {&before, &after}) {
    const json::Node root = document->root();
    for (auto node = root.begin(); node != root.end(); ++node) {
      const json::Node name = *node;
      ++node;
      put(name.text(), (*node).raw());
    }
  }
  std::string text;
  json::Writer out(text);
  out.beginObject();
  for (const auto& [name, value] : members) out.key(name).raw(value);
  out.endObject();
  return text;
}

std::size_t memberCount(std::string_view object) { return parsed(object).root().size(); }

}  // namespace spindle::registry
