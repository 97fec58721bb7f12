#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "inference/adapters/peft_adapter.h"
#include "inference/engines/engine_host.h"

namespace spindle::inference {

/// The result of resolving an artifact name that a request uses as its `model`.
struct ResolvedAdapter {
  std::string base_model;  ///< name of a model in the catalogue
  /// The adapter for the local engine. Null for the base model without an adapter, and if no engine
  /// serves the adapter. The file stays on disk while the pointer is held.
  std::shared_ptr<const AdapterFile> adapter;
  /// The adapter for upstreams. Null for the base model without an adapter, and if no upstream
  /// serves adapters of the model.
  std::shared_ptr<const PeftAdapter> peft;
  std::string team_id;     ///< the team that owns the artifact
  std::string project_id;  ///< the project of the artifact; empty if it is in a registry
  bool trained = false;    ///< true for a checkpoint of a model that this server trains
};

/// A trained adapter that a client may request.
struct TrainedAdapter {
  std::string name;  ///< `svc-artifact:///entity/project/name`: its newest checkpoint
  std::string base_model;
  Timestamp created_at = {};  ///< creation time of that checkpoint
};

/// Returns true for a text that names an artifact (`svc-artifact://…`, in either spelling) and
/// therefore never a model of the catalogue.
bool isArtifactName(std::string_view text);

/// Resolves artifact names to models: adapters on top of models of the catalogue. An interface, so
/// that the gateway can be tested without artifacts. Thread-safe; calls block on database and disk.
class AdapterResolver {
 public:
  virtual ~AdapterResolver() = default;

  /// Resolves an artifact that the user may read. Writes the adapter for the engine to disk if it
  /// is not cached.
  /// @return the same kNotFound for a missing artifact and for one that the user may not see;
  /// kInvalidArgument for an artifact that cannot be served (its type is not `lora`, its base model
  /// is missing or not in the catalogue, or its files are no adapter); kStorageFull; kUnavailable.
  virtual Result<ResolvedAdapter> resolve(std::string_view user_id, const std::string& text) = 0;

  /// Lists up to `most` adapters that the user may request, newest first. Omits adapters whose base
  /// model no longer exists. @return kUnavailable.
  virtual Result<std::vector<TrainedAdapter>> list(std::string_view user_id, std::size_t most) = 0;
};

}  // namespace spindle::inference
