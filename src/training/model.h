#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "registry/artifact.h"

namespace spindle::training {

/// A model to be trained: a base model and a line of adapters for it.
struct Model {
  std::string id;         ///< a UUID
  registry::Place place;  ///< its project
  std::string name;       ///< unique in the project; that of its collection of adapters, too
  std::string base_model;
  std::optional<std::string> run_id;  ///< within the project
  std::int64_t step = 0;              ///< the highest that was ever made
  registry::Actor creator;
  Timestamp created_at;
};

/// One adapter of a model.
struct Checkpoint {
  std::string id;  ///< a UUID
  std::int64_t step = 0;
  std::int64_t version_id = 0;  ///< of the registry
  std::string metrics = "{}";   ///< a JSON object of numbers
};

/// A base model as those know it who serve it.
struct BaseModel {
  std::string name;
  std::string file;  ///< GGUF, absolute; empty: it is served elsewhere
};
/// The base model of a name, for a team that may use it. Thread-safe.
using BaseModels =
    std::function<std::optional<BaseModel>(std::string_view team_id, std::string_view name)>;

}  // namespace spindle::training
