#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/time.h"
#include "base/crypto/secret.h"
#include "identity/types/team_role.h"

namespace spindle::identity {

/// An invitation to a team by link.
struct Invitation {
  std::string id;
  std::string team_id;
  std::string team;  ///< its name
  TeamRole role = TeamRole::kMember;
  std::optional<std::string> email;  ///< a note for whom it is; never becomes the e-mail of a user
  std::string created_by;            ///< user name; empty if the user was deleted
  std::int64_t uses = 1;             ///< how many people may accept it
  std::int64_t used = 0;
  Timestamp created_at;
  Timestamp expires_at;
};

struct NewInvitation {
  std::string team_id;
  TeamRole role = TeamRole::kMember;
  std::optional<std::string> email;
  std::string creator_id;
  std::int64_t uses = 1;
  Timestamp expires_at;
};

/// A new invitation. The server stores a keyed hash of the token only.
struct IssuedInvitation {
  Invitation invitation;
  Secret token;
};

}  // namespace spindle::identity
