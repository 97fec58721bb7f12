#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/core/time.h"
#include "inference/catalogue/catalogue.h"
#include "schema/type.h"

namespace spindle::inference {

// Request and response bodies of the model routes.

struct TargetBody {
  std::optional<std::string> upstream;
  std::string model;
  std::int64_t tier = 0;
};
struct ModelBody {
  std::string name;
  std::optional<std::string> file;
  std::int64_t context = 0;
  bool start_at_boot = false;
  std::string owned_by = "system";
  std::optional<std::vector<Ability>> abilities;
  std::vector<TargetBody> targets;
  std::vector<std::string> fallbacks;
  std::optional<std::vector<std::string>> teams;
  std::int64_t max_output_tokens = 0;
};
struct ModelChangeBody {
  std::optional<std::optional<std::string>> file;
  std::optional<std::int64_t> context;
  std::optional<bool> start_at_boot;
  std::optional<std::string> owned_by;
  std::optional<std::vector<Ability>> abilities;
  std::optional<std::vector<TargetBody>> targets;
  std::optional<std::vector<std::string>> fallbacks;
  std::optional<std::optional<std::vector<std::string>>> teams;
  std::optional<std::int64_t> max_output_tokens;
};
struct ModelView {
  std::string id;
  std::string name;
  std::optional<std::string> file;
  std::int64_t context = 0;
  bool start_at_boot = false;
  std::string owned_by;
  std::vector<Ability> abilities;
  std::optional<std::vector<TargetBody>> targets;
  std::vector<std::string> fallbacks;
  std::optional<std::vector<std::string>> teams;
  std::int64_t max_output_tokens = 0;
  Timestamp created_at;
  Timestamp updated_at;
};

schema::Codec<ModelBody> newModelCodec();
schema::Codec<ModelChangeBody> modelChangeCodec();
schema::Codec<ModelView> modelViewCodec();

/// Names of teams by id.
using TeamNames = std::map<std::string, std::string>;

/// Returns the view of a model: with `names` for organization admins, without for other users.
ModelView viewOf(const Model& model, const TeamNames* names);

std::vector<Target> targetsOf(std::vector<TargetBody> bodies);

}  // namespace spindle::inference
