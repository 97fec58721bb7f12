#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inference/adapters/adapter_resolver.h"
#include "inference/catalogue/catalogue_cache.h"
#include "registry/artifacts/artifact.h"
#include "registry/artifacts/artifact_path.h"
#include "storage/folder/file_cache.h"

namespace spindle::identity {
class Access;
}
namespace spindle::registry {
class BlobRepository;
class CollectionRepository;
class RegistryAccess;
class VersionRepository;
struct CollectionLocation;
}  // namespace spindle::registry

namespace spindle::inference {

class AdapterQuarantineRepository;
class ModelFiles;

/// The services that ArtifactAdapterResolver uses; all must outlive it.
struct AdapterSources {
  identity::Access& access;
  registry::RegistryAccess& registry_access;
  registry::CollectionRepository& collections;
  registry::VersionRepository& versions;
  registry::BlobRepository& blobs;
  CatalogueCache& models;
  AdapterQuarantineRepository& quarantine;
  ModelFiles& model_files;
};

/// Resolves adapters in the artifact store: versions of type `lora` whose metadata name a base
/// model of the catalogue. For engines, an `adapter.gguf` is checked and copied; otherwise the PEFT
/// files of the version are converted to one. Engines get only files that passed
/// weights::checkLora() against their base model. Upstreams that serve adapters get the PEFT files.
class ArtifactAdapterResolver final : public AdapterResolver {
 public:
  ArtifactAdapterResolver(const AdapterSources& sources, storage::FileCache& cache)
      : sources_(sources), cache_(cache) {}

  Result<ResolvedAdapter> resolve(std::string_view user_id, const std::string& text) override;
  Result<std::vector<TrainedAdapter>> list(std::string_view user_id, std::size_t most) override;

 private:
  struct Found {
    registry::Place place;
    registry::Version version;
  };

  Result<Found> find(std::string_view user_id, const registry::ArtifactPath& path);
  Result<Found> findById(std::string_view user_id, std::int64_t id);
  Result<registry::Place> readable(std::string_view user_id, registry::Place place);
  Result<registry::Version> newest(const std::string& place_id, const std::string& collection);
  Result<void> addFiles(const Found& found, const Model& base, ResolvedAdapter& resolved);
  Result<std::shared_ptr<const AdapterFile>> fileOf(
      const Found& found,
      const Model& base,
      const std::vector<const registry::ManifestEntry*>& used);
  std::shared_ptr<const PeftAdapter> peftOf(const Found& found,
                                            const registry::ManifestEntry& config,
                                            const registry::ManifestEntry& weights);
  Result<void> copy(const registry::Version& version,
                    const registry::ManifestEntry& entry,
                    const std::string& path);
  Result<void> import(const registry::Version& version,
                      const registry::ManifestEntry& entry,
                      const std::string& base_file,
                      const std::string& path);
  Result<void> convert(const registry::Version& version,
                       const std::vector<registry::ManifestEntry>& files,
                       const std::string& base_file,
                       const std::string& path);
  std::optional<TrainedAdapter> shown(std::string_view user_id,
                                      const registry::CollectionLocation& collection);

  const AdapterSources sources_;
  storage::FileCache& cache_;
};

}  // namespace spindle::inference
