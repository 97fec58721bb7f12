#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "inference/engine_host.h"

namespace spindle::inference {

/// What an artifact's name stands for as the `model` of a request.
struct ResolvedAdapter {
  std::string base_model;  ///< name of a model of the catalogue
  /// Null: the base model as it is. The file stays on disk while this is held.
  std::shared_ptr<const AdapterFile> adapter;
  std::string team_id;     ///< whose the artifact is
  std::string project_id;  ///< where it is; empty: in a registry
  bool trained = false;    ///< a checkpoint of a model that is trained here
};

/// A trained adapter that a caller may ask for.
struct TrainedAdapter {
  std::string name;  ///< `svc-artifact:///entity/project/name`: its newest checkpoint
  std::string base_model;
  Timestamp created_at = {};  ///< of that checkpoint
};

/// True for a text that names an artifact (`svc-artifact://…`, in whichever spelling), and thus
/// never a model of the catalogue.
bool isArtifactName(std::string_view text);

/// Models that are named by artifacts: adapters on top of models of the catalogue. A port, so that
/// the gateway can be tested without artifacts. Thread-safe; calls block on database and disk.
class AdapterDirectory {
 public:
  virtual ~AdapterDirectory() = default;

  /// For one who may read the artifact. Puts the adapter on disk when it is not there yet.
  /// @return kNotFound, the same for all that is not there or not to be seen; kInvalidArgument for
  /// what cannot be served: no artifact of type `lora`, no base model or one that is not in the
  /// catalogue, files that are no adapter; kStorageFull, kUnavailable.
  virtual Result<ResolvedAdapter> resolve(std::string_view user_id, const std::string& text) = 0;

  /// What a caller may ask for, newest first, up to `most`. Those whose base model is gone are left
  /// out. @return kUnavailable.
  virtual Result<std::vector<TrainedAdapter>> list(std::string_view user_id, std::size_t most) = 0;
};

}  // namespace spindle::inference
