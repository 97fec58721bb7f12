#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "registry/artifact.h"
#include "registry/blob_repository.h"
#include "training/artifact_writer.h"
#include "training/model.h"

namespace spindle::training {

/// Without which there is no adapter.
inline constexpr std::array<std::string_view, 2> kAdapterFiles = {"adapter_config.json",
                                                                  "adapter_model.safetensors"};

/// The adapters of models as versions of the registry: type `lora`, aliases `stepN` and `latest`,
/// in a collection of the model's name. Thread-safe; blocks, and every call may return
/// kUnavailable.
class Checkpoints {
 public:
  /// Everything given must outlive this.
  Checkpoints(registry::VersionRepository& versions,
              registry::BlobRepository& blobs,
              const Clock& clock)
      : versions_(versions), blobs_(blobs), writer_(versions, blobs, clock) {}

  /// The adapter that changes nothing, step 0. @return kInvalidArgument for a base that cannot be
  /// trained; kConflict `type_clash` when the collection holds something else.
  Result<registry::Version> publishIdentity(const Model& model, const BaseModel& base);
  Result<registry::Version> publish(const Model& model,
                                    std::int64_t step,
                                    const std::string& job_id,
                                    std::vector<ArtifactFile> files);

  /// The files of an adapter, for publishing them again or for a trainer.
  Result<std::vector<ArtifactFile>> files(const registry::Place& place, std::int64_t version_id);
  /// @return kNotFound.
  Result<registry::BlobContent> open(const registry::Place& place,
                                     std::int64_t version_id,
                                     std::string_view name);

  /// Nothing happens when it is gone already. @return kConflict `protected_alias`.
  Result<void> remove(const Model& model, std::int64_t version_id);

 private:
  registry::VersionRepository& versions_;
  registry::BlobRepository& blobs_;
  ArtifactWriter writer_;
};

}  // namespace spindle::training
