#include "registry/routes/manifest_stream.h"

#include <string>
#include <vector>

#include "base/core/log.h"
#include "registry/artifacts/manifest_json.h"
#include "registry/repositories/version_repository.h"

namespace spindle::registry {
namespace {

using http::BodyStream;

constexpr Logger kLog("registry");
constexpr int kEntriesPerChunk = 1000;

struct Progress {
  std::string text;
  json::Writer out{text};
  std::string after;
  bool begun = false;
  bool ended = false;
};

}  // namespace

std::shared_ptr<BodyStream> manifestStream(VersionRepository& versions, std::int64_t version_id) {
  auto at = std::make_shared<Progress>();
  return std::make_shared<http::PulledBody>([&versions, version_id, at](std::string& piece) {
    if (at->ended) return BodyStream::State::kEnd;
    const Result<std::vector<ManifestEntry>> entries =
        versions.entries(version_id, "", at->after, kEntriesPerChunk);
    if (!entries) {
      kLog.error("answer_cut", {{"reason", entries.error().message()}});
      return BodyStream::State::kBroken;
    }
    if (!at->begun) beginManifest(at->out);
    at->begun = true;
    for (const ManifestEntry& entry : *entries) writeManifestEntry(at->out, entry);
    at->ended = entries->size() < kEntriesPerChunk;
    if (at->ended) endManifest(at->out);
    if (!entries->empty()) at->after = entries->back().path;
    piece.swap(at->text);
    at->text.clear();
    return BodyStream::State::kChunk;
  });
}

}  // namespace spindle::registry
