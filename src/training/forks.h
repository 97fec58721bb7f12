#pragma once

#include "base/result.h"
#include "base/time.h"
#include "training/model.h"

namespace spindle::registry {
class CollectionRepository;
class VersionRepository;
}  // namespace spindle::registry

namespace spindle::training {

class ModelRepository;

/// Checkpoints that clients put into the collection of a model themselves, with an alias `stepN`
/// beyond its own: a fork of another model. They become the model's newest, which is served by its
/// plain name anyway: training goes on from them, with step N + 1. Thread-safe; blocks, and every
/// call may return kUnavailable.
class Forks {
 public:
  /// Everything given must outlive this.
  Forks(ModelRepository& models,
        registry::CollectionRepository& collections,
        registry::VersionRepository& versions,
        const Clock& clock)
      : models_(models), collections_(collections), versions_(versions), clock_(clock) {}

  /// Takes over what is there. Nothing happens while a job of the model is running.
  /// @return the model as it is then.
  Result<Model> adopt(const Model& model);

 private:
  ModelRepository& models_;
  registry::CollectionRepository& collections_;
  registry::VersionRepository& versions_;
  const Clock& clock_;
};

}  // namespace spindle::training
