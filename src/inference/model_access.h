#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inference/catalogue.h"

namespace spindle::identity {
class Access;
class TeamRepository;
class UserRepository;
}  // namespace spindle::identity

namespace spindle::inference {

/// The ids of teams that count for a user; nothing: every team does.
using TeamsOfUser = std::optional<std::vector<std::string>>;

/// Which models a user may ask for: those of everybody, and those of its teams. Thread-safe; blocks
/// on the database, but not for a model of everybody.
class ModelAccess {
 public:
  ModelAccess(identity::Access& access,
              identity::TeamRepository& teams,
              identity::UserRepository& users)
      : access_(access), teams_(teams), users_(users) {}

  /// Every team counts for admins of the deployment and its service accounts.
  /// @return kUnauthenticated when there is no such user any more, kUnavailable.
  Result<TeamsOfUser> teamsOf(std::string_view user_id);

  /// @return kUnauthenticated, kUnavailable.
  Result<bool> mayUse(std::string_view user_id, const Model& model);
  static bool mayUse(const TeamsOfUser& teams, const Model& model);

 private:
  identity::Access& access_;
  identity::TeamRepository& teams_;
  identity::UserRepository& users_;
};

}  // namespace spindle::inference
