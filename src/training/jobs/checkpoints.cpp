#include "training/jobs/checkpoints.h"

#include <memory>
#include <utility>

#include "base/crypto/crypto.h"
#include "base/crypto/md5.h"
#include "registry/repositories/version_repository.h"
#include "training/jobs/checkpoint_json.h"
#include "weights/adapters/new_adapter.h"

namespace spindle::training {
namespace {

constexpr std::string_view kType = "lora";
constexpr std::string_view kNote = "checkpoint.json";
constexpr int kMostFiles = 100;

registry::NewVersion versionFor(const Model& model, std::int64_t step, bool identity) {
  registry::NewVersion fresh;
  fresh.collection = model.name;
  fresh.type = kType;
  fresh.metadata = checkpointMetadata(model, step, identity);
  fresh.aliases = {"step" + std::to_string(step), "latest"};
  fresh.run_id = model.run_id;
  return fresh;
}

registry::VersionName nameOf(std::int64_t version_id) {
  return {.index = {}, .id = version_id, .alias = {}};
}

}  // namespace

Result<registry::Version> Checkpoints::publishIdentity(const Model& model, const BaseModel& base) {
  if (!base.hasFile()) {
    const std::vector<ArtifactFile> none = {
        fileOf(std::string(kNote), checkpointNote(model, 0, ""))};
    return writer_.write(model.place, model.creator, versionFor(model, 0, true), none);
  }
  const HeaderFile header = TRY(base.headerFile());
  weights::NewAdapterOptions options;
  options.base_file = header->path;
  options.base_model = base.name;
  Result<weights::AdapterFiles> made = weights::newAdapter(options);
  if (!made) {
    return made.error().code() == ErrorCode::kInvalidArgument
               ? std::move(made).error()
               : Error::invalidArgument("The file of the base model cannot be read.");
  }
  ArtifactFile tensors;
  tensors.name = "adapter_model.safetensors";
  Md5Stream digest;
  TRY(made->tensors.writeTo([&](std::string_view bytes) -> Result<void> {
    digest.add(bytes);
    return {};
  }));
  tensors.md5 = encodeBase64(bytesOf(digest.finish()));
  tensors.size = static_cast<std::int64_t>(made->tensors.size());
  tensors.read = [writer = made->tensors](const ByteSink& sink) { return writer.writeTo(sink); };
  const std::vector<ArtifactFile> files = {
      fileOf("adapter_config.json", made->config), std::move(tensors),
      fileOf(std::string(kNote), checkpointNote(model, 0, ""))};
  return writer_.write(model.place, model.creator, versionFor(model, 0, true), files);
}

Result<registry::Version> Checkpoints::publish(const Model& model,
                                               std::int64_t step,
                                               const std::string& job_id,
                                               std::vector<ArtifactFile> files) {
  const bool identity = files.empty();
  files.push_back(fileOf(std::string(kNote), checkpointNote(model, step, job_id)));
  return writer_.write(model.place, model.creator, versionFor(model, step, identity), files);
}

Result<std::vector<ArtifactFile>> Checkpoints::files(const registry::Place& place,
                                                     std::int64_t version_id) {
  const std::vector<registry::ManifestEntry> entries =
      TRY(versions_.entries(version_id, "", "", kMostFiles));
  std::vector<ArtifactFile> files;
  for (const registry::ManifestEntry& entry : entries) {
    if (entry.path == kNote || entry.ref) continue;
    ArtifactFile& file = files.emplace_back();
    file.name = entry.path;
    file.md5 = entry.digest;
    file.size = entry.size;
    file.read = [this, team = place.team_id, entry](const ByteSink& sink) -> Result<void> {
      registry::BlobContent content = TRY(blobs_.open(team, {entry.digest, entry.size}));
      return copyTo(content, sink);
    };
  }
  return files;
}

Result<registry::BlobContent> Checkpoints::open(const registry::Place& place,
                                                std::int64_t version_id,
                                                std::string_view name) {
  const registry::ManifestEntry entry = TRY(versions_.entry(version_id, name));
  return blobs_.open(place.team_id, {entry.digest, entry.size});
}

Result<registry::Version> Checkpoints::version(const Model& model, std::int64_t version_id) {
  return versions_.find(model.place.id(), model.name, nameOf(version_id));
}

Result<void> Checkpoints::remove(const Model& model, std::int64_t version_id) {
  Result<void> removed = versions_.remove(model.place.id(), model.name, nameOf(version_id), true);
  if (!removed && removed.error().code() == ErrorCode::kNotFound) return {};
  return removed;
}

}  // namespace spindle::training
