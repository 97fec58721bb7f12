#pragma once

#include "base/core/result.h"
#include "base/core/time.h"
#include "training/jobs/model.h"

namespace spindle::registry {
class CollectionRepository;
class VersionRepository;
}  // namespace spindle::registry

namespace spindle::training {

class ModelRepository;

/// Adopts checkpoints that clients added to a model's collection themselves, with an alias `stepN`
/// higher than the model's step: a fork of another model. An adopted checkpoint becomes the model's
/// newest; the plain model name serves it anyway. Training continues from it with step N + 1.
/// Thread-safe; blocks. Every call may return kUnavailable.
class Forks {
 public:
  /// All arguments must outlive this object.
  Forks(ModelRepository& models,
        registry::CollectionRepository& collections,
        registry::VersionRepository& versions,
        const Clock& clock)
      : models_(models), collections_(collections), versions_(versions), clock_(clock) {}

  /// Adopts the newest such checkpoint. Does nothing while a job of the model is running.
  /// @return the model after the adoption
  Result<Model> adopt(const Model& model);

 private:
  ModelRepository& models_;
  registry::CollectionRepository& collections_;
  registry::VersionRepository& versions_;
  const Clock& clock_;
};

}  // namespace spindle::training
