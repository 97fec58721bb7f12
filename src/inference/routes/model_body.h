#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inference/catalogue/catalogue_repository.h"
#include "schema/type.h"

namespace spindle::inference {

// Request and response bodies of the model routes.

struct TargetBody {
  std::optional<std::string> upstream;
  std::string model;
  std::int64_t tier = 0;
};
/// A new model. Its own members replace those of the model that a request spells differently.
struct ModelBody : Model {
  std::optional<std::string> given_file;
  std::optional<std::string> given_folder;
  std::optional<std::vector<Ability>> given_abilities;
  std::vector<TargetBody> given_targets;
  std::optional<std::vector<std::string>> team_names;
};
struct ModelChangeBody : ModelChange {
  std::optional<std::optional<std::string>> given_file;
  std::optional<std::optional<std::string>> given_folder;
  std::optional<std::vector<TargetBody>> given_targets;
  std::optional<std::optional<std::vector<std::string>>> team_names;
};
/// A model as callers see it. Only administrators see `file`, `folder`, `targets` and `teams`:
/// responses name `shown_file`, `shown_folder`, `shown_targets` and `team_names` instead.
struct ModelView : Model {
  std::optional<std::string> shown_file;
  std::optional<std::string> shown_folder;
  bool trainable = false;  ///< has a file or a folder
  std::optional<std::vector<TargetBody>> shown_targets;
  std::optional<std::vector<std::string>> team_names;
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
