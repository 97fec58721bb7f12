#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/time.h"
#include "registry/artifacts/artifact.h"

namespace spindle::training {

/// A trainable model: a base model and its sequence of adapters.
struct Model {
  std::string id;         ///< a UUID
  registry::Place place;  ///< the model's project
  std::string name;       ///< unique in the project; also the name of its collection of adapters
  std::string base_model;
  std::optional<std::string> run_id;  ///< within the project
  std::int64_t step = 0;              ///< highest step ever published
  registry::Actor creator;
  Timestamp created_at;
};

/// One published adapter of a model.
struct Checkpoint {
  std::string id;  ///< a UUID
  std::int64_t step = 0;
  std::int64_t version_id = 0;  ///< artifact version
  std::string metrics = "{}";   ///< JSON object of numbers
};

}  // namespace spindle::training
