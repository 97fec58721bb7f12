#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "registry/artifacts/artifact.h"
#include "registry/repositories/blob_repository.h"
#include "training/data/artifact_writer.h"
#include "training/jobs/base_model.h"
#include "training/jobs/model.h"

namespace spindle::training {

/// The files that every adapter must contain.
inline constexpr std::array<std::string_view, 2> kAdapterFiles = {"adapter_config.json",
                                                                  "adapter_model.safetensors"};

/// Stores the adapters of models as artifact versions: type `lora`, aliases `stepN` and `latest`,
/// in a collection with the model's name. Thread-safe; blocks. Every call may return kUnavailable.
class Checkpoints {
 public:
  /// All arguments must outlive this object.
  Checkpoints(registry::VersionRepository& versions,
              registry::BlobRepository& blobs,
              const Clock& clock)
      : versions_(versions), blobs_(blobs), writer_(versions, blobs, clock) {}

  /// Publishes step 0, an adapter that changes nothing. Without a GGUF file of the base model, the
  /// version has no adapter files.
  /// @return kInvalidArgument if the base model cannot be trained; kConflict `type_clash` if the
  ///     collection has another type
  Result<registry::Version> publishIdentity(const Model& model, const BaseModel& base);
  /// Publishes a trained adapter. Without files, the version changes nothing, as step 0.
  Result<registry::Version> publish(const Model& model,
                                    std::int64_t step,
                                    const std::string& job_id,
                                    std::vector<ArtifactFile> files);

  /// Finds the artifact version of a checkpoint. @return kNotFound if it was deleted
  Result<registry::Version> version(const Model& model, std::int64_t version_id);

  /// Returns the files of an adapter, to publish them again or to send them to a trainer.
  Result<std::vector<ArtifactFile>> files(const registry::Place& place, std::int64_t version_id);
  /// Opens one file of an adapter. @return kNotFound
  Result<registry::BlobContent> open(const registry::Place& place,
                                     std::int64_t version_id,
                                     std::string_view name);

  /// Deletes a version. Succeeds if it no longer exists. @return kConflict `protected_alias`
  Result<void> remove(const Model& model, std::int64_t version_id);

 private:
  registry::VersionRepository& versions_;
  registry::BlobRepository& blobs_;
  ArtifactWriter writer_;
};

}  // namespace spindle::training
