#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "identity/types/team.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// SQL access to teams and their members. Thread-safe; calls block on the database. Every method
/// may also return kUnavailable. `if_version`, if given, must be the current version of the row;
/// otherwise the method returns kPreconditionFailed. A write is durable when the method returns.
class TeamRepository {
 public:
  TeamRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Creates a team with one member, an admin: the given user.
  /// @return kInvalidArgument for an invalid name, kConflict when it is taken, kNotFound when the
  /// user does not exist.
  Result<Team> insert(std::string_view name, std::string_view admin_user_id);

  /// @return kNotFound.
  Result<Team> findByName(std::string_view name);

  /// Lists the teams of a user, or all teams when no user is given.
  Result<Page<Team>> list(const std::optional<std::string>& user_id, const PageRequest& page);

  /// @return kNotFound, kPreconditionFailed, kInvalidArgument for a time to live below one day.
  Result<Team> update(std::string_view name, const TeamChange& change, IfVersion if_version = {});

  /// Deletes the team with its memberships and service accounts, and with `force` also its
  /// projects.
  /// @return kNotFound, kPreconditionFailed, kConflict (`not_empty`) when it has projects and
  /// `force` is not set.
  Result<void> remove(std::string_view name, bool force, IfVersion if_version = {});

  Result<Page<Member>> members(std::string_view team_id, const PageRequest& page);
  /// @return kNotFound.
  Result<Member> findMember(std::string_view team_id, std::string_view user_id);

  struct PutMemberResult {
    Member member;
    bool created = false;
  };
  /// Adds a member, or changes its role. A membership by the organization is confirmed.
  /// @return kNotFound, kPreconditionFailed, kConflict: `last_admin`, `service_account_role` (a
  /// service account is never a viewer), `other_team` (the service account belongs to another
  /// team).
  Result<PutMemberResult> putMember(std::string_view team_id,
                                    std::string_view user_id,
                                    TeamRole role,
                                    IfVersion if_version = {},
                                    AddedBy added_by = AddedBy::kOrganization);

  /// Removes a member and its roles in the team's projects. Deletes a service account of the team
  /// together with its keys. @return kNotFound, kPreconditionFailed, kConflict (`last_admin`).
  Result<void> removeMember(std::string_view team_id,
                            std::string_view user_id,
                            IfVersion if_version = {});

  /// Returns the teams of one user, oldest membership first.
  Result<std::vector<TeamOfUser>> teamsOf(std::string_view user_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

// For the other repositories of this area:

/// Inserts a team with its first admin, without checking the name. @return kConflict.
Result<Team> insertTeam(storage::Session& session,
                        std::string_view name,
                        std::string_view admin_user_id,
                        Timestamp now);
Result<Membership> insertMembership(storage::Session& session,
                                    std::string_view team_id,
                                    std::string_view user_id,
                                    TeamRole role,
                                    Timestamp now,
                                    AddedBy added_by = AddedBy::kOrganization);

}  // namespace spindle::identity
