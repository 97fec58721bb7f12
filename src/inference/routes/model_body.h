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
  bool upload = false;  ///< the file follows in a request of its own
};
struct ModelChangeBody : ModelChange {
  std::optional<std::optional<std::string>> given_file;
  std::optional<std::optional<std::string>> given_folder;
  std::optional<std::vector<TargetBody>> given_targets;
  std::optional<std::optional<std::vector<std::string>>> team_names;
};
/// A model as callers see it. Only administrators see its files, targets and teams: responses name
/// the members of this type instead of those of the model.
struct ModelView : Model {
  std::optional<std::string> shown_file;
  std::optional<std::string> file_sha256;
  std::optional<std::int64_t> file_bytes;
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
