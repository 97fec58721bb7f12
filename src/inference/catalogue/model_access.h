#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "inference/catalogue/catalogue.h"

namespace spindle::identity {
class Access;
class TeamRepository;
class UserRepository;
}  // namespace spindle::identity

namespace spindle::inference {

/// The ids of the teams whose models a user may use; nothing means all teams.
using TeamsOfUser = std::optional<std::vector<std::string>>;

/// Decides which models a user may use: models without teams, and models of the user's teams.
/// Thread-safe. Blocks on the database, except for models without teams.
class ModelAccess {
 public:
  ModelAccess(identity::Access& access,
              identity::TeamRepository& teams,
              identity::UserRepository& users)
      : access_(access), teams_(teams), users_(users) {}

  /// Returns the teams of a user. Organization admins and service accounts of the organization get
  /// all teams. @return kUnauthenticated if the user no longer exists, kUnavailable.
  Result<TeamsOfUser> teamsOf(std::string_view user_id);

  /// Returns true if the user may use the model. @return kUnauthenticated, kUnavailable.
  Result<bool> mayUse(std::string_view user_id, const Model& model);
  static bool mayUse(const TeamsOfUser& teams, const Model& model);

 private:
  identity::Access& access_;
  identity::TeamRepository& teams_;
  identity::UserRepository& users_;
};

}  // namespace spindle::inference
