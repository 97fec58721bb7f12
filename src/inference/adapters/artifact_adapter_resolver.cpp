#include "inference/adapters/artifact_adapter_resolver.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "base/crypto/crypto.h"
#include "base/process/durable_file.h"
#include "identity/access/access.h"
#include "inference/adapters/adapter_metadata.h"
#include "inference/adapters/adapter_quarantine_repository.h"
#include "inference/engines/engine_errors.h"
#include "inference/model_files/model_files.h"
#include "registry/artifacts/names.h"
#include "registry/artifacts/step_alias.h"
#include "registry/repositories/blob_repository.h"
#include "registry/repositories/collection_repository.h"
#include "registry/repositories/registry_access.h"
#include "registry/repositories/version_repository.h"
#include "weights/adapters/adapter_import.h"
#include "weights/adapters/lora_adapter.h"
#include "weights/adapters/peft_folder_check.h"

namespace spindle::inference {
namespace {

using registry::ArtifactPath, registry::ManifestEntry, registry::Place, registry::Version,
    registry::VersionName;

constexpr std::string_view kType = "lora";
constexpr std::string_view kReadyFile = "adapter.gguf";
constexpr std::size_t kPiece = 1UL << 20;
/// The maximum number of collections that a list examines. Most users may see most collections.
constexpr std::size_t kMostExamined = 1000;

/// Maps missing artifacts and artifacts that the user may not see to the same error.
Error hidden(const Error& error) {
  const bool tells = error.code() != ErrorCode::kNotFound &&
                     error.code() != ErrorCode::kPermissionDenied &&
                     error.code() != ErrorCode::kUnauthenticated;
  return tells ? error
               : Error::notFound("The model does not exist, or you may not use it.")
                     .because("model_not_found");
}

Error unusable(const std::string& why) {
  return Error::invalidArgument("This artifact cannot be used as a model: " + why + ".");
}

/// Returns the error of an import as clients see it.
Error importErrorOf(const Error& error) {
  return error.code() == ErrorCode::kUnavailable ? error : Error::invalidArgument(error.message());
}

/// Returns a text that changes when the file changes. Adapters are checked against the file of
/// their base model.
std::string stampOf(const Model& model) {
  if (model.isStored()) return model.stored.blob;
  const std::string& file = model.file;
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return file;
  return file + ":" + std::to_string(found.st_ino) + ":" + std::to_string(found.st_size) + ":" +
         std::to_string(found.st_mtim.tv_sec) + "." + std::to_string(found.st_mtim.tv_nsec);
}

const ManifestEntry* entryAt(const std::vector<ManifestEntry>& files, std::string_view path) {
  const auto found = std::find_if(files.begin(), files.end(), [path](const ManifestEntry& entry) {
    return entry.path == path;
  });
  return found == files.end() ? nullptr : &*found;
}

/// The version of the adapter checks. Increase it when they change: files that passed older checks
/// are then not used again.
constexpr std::string_view kCheckVersion = "checked-1";

/// Returns the name of an adapter: a digest of its content and its base model.
std::string nameOf(const std::vector<const ManifestEntry*>& files, const std::string& base) {
  std::string content = std::string(kCheckVersion) + "\n" + base;
  for (const ManifestEntry* const file : files) {
    content += "\n" + file->path + " " + file->digest + " " + std::to_string(file->size);
  }
  return toHex(sha256(content)).substr(0, 40);
}

/// Returns the name of a version for people.
std::string shownName(const Place& place, const Version& version) {
  return place.entity + "/" + place.project + "/" + version.collection + ":v" +
         std::to_string(version.index.value_or(0));
}

/// Returns true if one of the model's upstreams serves adapters.
bool servesAdapters(const Model& base, const CatalogueSnapshot& catalogue) {
  return std::any_of(base.targets.begin(), base.targets.end(), [&](const Target& target) {
    const auto upstream = catalogue.upstreams.find(target.upstream_id);
    return upstream != catalogue.upstreams.end() &&
           upstream->second->upstream.adapters.loading != AdapterLoading::kNone;
  });
}

/// An adapter whose file stays in the cache while the adapter is in use.
struct HeldAdapter final : AdapterFile {
  LocalFile file;
};

}  // namespace

Result<Place> ArtifactAdapterResolver::readable(std::string_view user_id, Place place) {
  if (!place.registry.empty()) {
    const registry::VisibleRegistry entry = TRY(sources_.registry_access.require(
        user_id, place.registry, identity::Action::kDownloadFromRegistry));
    return registry::registryPlace(entry.registry.id, entry.registry.name);
  }
  const identity::ProjectAccess access =
      TRY(sources_.access.readProject(user_id, place.entity, place.project));
  if (!access.exists()) return Error::notFound("Project not found");
  place.team_id = access.team_id;
  place.project_id = access.project_id;
  return place;
}

Result<ArtifactAdapterResolver::Found> ArtifactAdapterResolver::findById(std::string_view user_id,
                                                                         std::int64_t id) {
  const std::vector<registry::VersionLocation> places = TRY(sources_.versions.locate(id));
  for (const registry::VersionLocation& each : places) {
    const Result<Place> place = readable(user_id, each.place);
    if (!place) continue;
    Result<Version> version = sources_.versions.find(
        place->id(), each.collection, VersionName{.index = {}, .id = id, .alias = {}});
    if (version) return Found{*place, *std::move(version)};
  }
  return Error::notFound("Artifact not found");
}

Result<ArtifactAdapterResolver::Found> ArtifactAdapterResolver::find(std::string_view user_id,
                                                                     const ArtifactPath& path) {
  if (path.id) return findById(user_id, *path.id);
  Place asked;
  asked.entity = path.entity;
  asked.project = path.project;
  if (const auto name = registry::registryIn(path.entity, path.project)) asked.registry = *name;
  const Place place = TRY(readable(user_id, std::move(asked)));
  Version version =
      TRY(path.has_version ? sources_.versions.find(place.id(), path.collection,
                                                    registry::versionNameOf(path.version))
                           : newest(place.id(), path.collection));
  if (version.state != registry::VersionState::kCommitted) {
    return Error::notFound("Artifact not found");
  }
  return Found{place, std::move(version)};
}

/// Returns the checkpoint with the highest step, independent of the alias `latest`. Without step
/// aliases, returns the newest version.
Result<Version> ArtifactAdapterResolver::newest(const std::string& place_id,
                                                const std::string& collection) {
  const std::vector<std::string> aliases =
      TRY(sources_.collections.aliases(place_id, collection, registry::kStepPrefix));
  if (const std::optional<registry::StepAlias> newest = registry::newestStep(aliases)) {
    VersionName name;
    name.alias = newest->alias;
    return sources_.versions.find(place_id, collection, name);
  }
  identity::PageRequest page;
  page.limit = 1;
  identity::Page<Version> versions = TRY(sources_.versions.list(place_id, collection, {}, page));
  if (versions.items.empty()) return Error::notFound("Artifact not found");
  return std::move(versions.items.front());
}

Result<ResolvedAdapter> ArtifactAdapterResolver::resolve(std::string_view user_id,
                                                         const std::string& text) {
  const ArtifactPath path = TRY(registry::parseArtifactPath(text));
  const Result<Found> found = find(user_id, path);
  if (!found) return hidden(found.error());
  const Version& version = found->version;
  if (version.type != kType) return unusable("it is of type " + version.type + ", not lora");
  const AdapterMetadata metadata = adapterMetadataOf(version.metadata);
  if (!metadata.base_model) return unusable("its metadata contain no base_model");
  const std::shared_ptr<const Model> base = sources_.models.current()->find(*metadata.base_model);
  if (!base) return unusable("its base model " + *metadata.base_model + " is not in the catalogue");
  ResolvedAdapter resolved;
  resolved.base_model = base->name;
  if (!metadata.identity) {
    TRY(addFiles(*found, *base, resolved));
  }
  resolved.team_id = version.team_id;
  resolved.project_id = found->place.project_id;
  resolved.trained = metadata.trained;
  return resolved;
}

/// Adds the files of the adapter for the engine and for upstreams, as the targets of the base model
/// need them. Adds none for a version that equals its base model.
Result<void> ArtifactAdapterResolver::addFiles(const Found& found,
                                               const Model& base,
                                               ResolvedAdapter& resolved) {
  const Version& version = found.version;
  const std::vector<ManifestEntry> files =
      TRY(sources_.versions.entries(version.id, "adapter", "", 100));
  const ManifestEntry* const ready = entryAt(files, kReadyFile);
  const ManifestEntry* const config = entryAt(files, kPeftConfigFile);
  const ManifestEntry* const weights = entryAt(files, kPeftWeightsFile);
  if (ready == nullptr && config == nullptr && weights == nullptr) {
    // The first version of a trained model equals its base model and needs no files.
    if (version.index == 0) return {};
    return unusable(
        "it contains neither adapter.gguf nor adapter_config.json and "
        "adapter_model.safetensors");
  }
  const bool is_peft = config != nullptr && weights != nullptr;
  if (ready == nullptr && !is_peft) {
    return unusable("adapter_config.json or adapter_model.safetensors is missing");
  }
  const bool upstream_serves = servesAdapters(base, *sources_.models.current());
  if (!base.hasFile() && !upstream_serves) {
    return unusable("no engine here and no upstream serves adapters of the model " + base.name);
  }
  if (is_peft && upstream_serves) resolved.peft = peftOf(found, *config, *weights);
  if (!base.hasFile()) {
    if (resolved.peft) return {};
    return unusable("upstreams need adapter_config.json and adapter_model.safetensors");
  }
  Result<std::shared_ptr<const AdapterFile>> file =
      fileOf(found, base, ready != nullptr ? std::vector{ready} : std::vector{config, weights});
  // An upstream may serve an adapter that the engine cannot.
  if (!file && !resolved.peft) return std::move(file).error();
  if (file) resolved.adapter = *std::move(file);
  return {};
}

Result<std::shared_ptr<const AdapterFile>> ArtifactAdapterResolver::fileOf(
    const Found& found, const Model& base, const std::vector<const ManifestEntry*>& used) {
  const std::string name = nameOf(used, stampOf(base));
  if (TRY(sources_.quarantine.contains(name))) return adapterQuarantined();
  const auto make = [&](const std::string& at) -> Result<void> {
    // The checks need the metadata and the shapes of the tensors, not their data.
    const LocalFile header = TRY(sources_.model_files.headerOf(base));
    return used.size() == 1 ? import(found.version, *used[0], header->path, at)
                            : convert(found.version, {*used[0], *used[1]}, header->path, at);
  };
  LocalFile file = TRY(cache_.get(name, make));
  auto adapter = std::make_shared<HeldAdapter>();
  adapter->name = name;
  adapter->path = file->path;
  adapter->artifact = shownName(found.place, found.version);
  adapter->file = std::move(file);
  return std::shared_ptr<const AdapterFile>(std::move(adapter));
}

std::shared_ptr<const PeftAdapter> ArtifactAdapterResolver::peftOf(const Found& found,
                                                                   const ManifestEntry& config,
                                                                   const ManifestEntry& weights) {
  auto adapter = std::make_shared<PeftAdapter>();
  adapter->name = std::string(kPeftNamePrefix) + nameOf({&config, &weights}, {});
  adapter->artifact = shownName(found.place, found.version);
  adapter->write = [this, version = found.version, entries = std::vector{config, weights}](
                       const std::string& folder) -> Result<void> {
    for (const ManifestEntry& entry : entries) {
      TRY(copy(version, entry, folder + "/" + entry.path));
    }
    const Result<void> checked = weights::checkPeftFolder(folder);
    if (!checked) return importErrorOf(checked.error());
    return {};
  };
  return adapter;
}

Result<void> ArtifactAdapterResolver::copy(const Version& version,
                                           const ManifestEntry& entry,
                                           const std::string& path) {
  if (entry.ref) return unusable(entry.path + " is a reference to an external file");
  registry::BlobContent content =
      TRY(sources_.blobs.open(version.team_id, {entry.digest, entry.size}));
  FileWriter file;
  Result<void> done = file.open(path);
  for (std::uint64_t at = 0; done && at < content.size();) {
    const std::string piece = TRY(content.read(at, kPiece));
    if (piece.empty()) return Error::unavailable("A file of the artifact is truncated.");
    at += piece.size();
    done = file.add(piece);
  }
  return done ? file.close() : done;
}

Result<void> ArtifactAdapterResolver::import(const Version& version,
                                             const ManifestEntry& entry,
                                             const std::string& base_file,
                                             const std::string& path) {
  const std::string original = path + ".original";
  Result<void> done = copy(version, entry, original);
  if (done) {
    const Result<weights::AdapterSummary> imported =
        weights::importLoraFile(original, base_file, path);
    if (!imported) done = importErrorOf(imported.error());
  }
  std::error_code ignored;
  std::filesystem::remove(original, ignored);
  return done;
}

Result<void> ArtifactAdapterResolver::convert(const Version& version,
                                              const std::vector<ManifestEntry>& files,
                                              const std::string& base_file,
                                              const std::string& path) {
  const std::string folder = path + ".peft";
  std::error_code failed;
  std::filesystem::create_directory(folder, failed);
  Result<void> done;
  if (failed) done = Error::unavailable("The adapter cannot be written to disk.");
  for (const ManifestEntry& entry : files) {
    if (done) done = copy(version, entry, folder + "/" + entry.path);
  }
  if (done) {
    weights::AdapterImport import;
    import.folder = folder;
    import.base_file = base_file;
    import.file = path;
    const Result<weights::AdapterImportResult> imported = weights::importAdapter(import);
    if (!imported) done = importErrorOf(imported.error());
  }
  std::filesystem::remove_all(folder, failed);
  return done;
}

std::optional<TrainedAdapter> ArtifactAdapterResolver::shown(
    std::string_view user_id, const registry::CollectionLocation& collection) {
  const Result<Place> place = readable(user_id, collection.place);
  if (!place) return std::nullopt;
  const Result<Version> version = newest(place->id(), collection.name);
  if (!version) return std::nullopt;
  const AdapterMetadata metadata = adapterMetadataOf(version->metadata);
  if (!metadata.base_model || !sources_.models.current()->find(*metadata.base_model)) {
    return std::nullopt;
  }
  TrainedAdapter adapter;
  adapter.name = "svc-artifact:///" + place->entity + "/" + place->project + "/" + collection.name;
  adapter.base_model = *metadata.base_model;
  adapter.created_at = version->created_at;
  return adapter;
}

Result<std::vector<TrainedAdapter>> ArtifactAdapterResolver::list(std::string_view user_id,
                                                                  std::size_t most) {
  std::vector<TrainedAdapter> all;
  identity::PageRequest page;
  page.limit = 200;
  for (std::size_t seen = 0; seen < kMostExamined && all.size() < most;) {
    const identity::Page<registry::CollectionLocation> found =
        TRY(sources_.collections.listOfType(kType, page));
    for (const registry::CollectionLocation& collection : found.items) {
      std::optional<TrainedAdapter> adapter = shown(user_id, collection);
      if (adapter && all.size() < most) all.push_back(*std::move(adapter));
    }
    if (!found.next) break;
    seen += found.items.size();
    page.after = *found.next;
  }
  std::stable_sort(all.begin(), all.end(), [](const TrainedAdapter& a, const TrainedAdapter& b) {
    return a.created_at > b.created_at;
  });
  return all;
}

}  // namespace spindle::inference
