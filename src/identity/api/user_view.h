#pragma once

#include <optional>
#include <string>

#include "base/core/time.h"
#include "http/router/resource.h"
#include "identity/store/page.h"
#include "identity/types/user.h"
#include "schema/record.h"

namespace spindle::identity {

/// A user in API responses.
struct UserView {
  UserView() = default;
  explicit UserView(const User& user);

  std::string id;
  std::string username;
  std::optional<std::string> email;
  std::optional<std::string> name;
  UserKind kind = UserKind::kUser;
  bool organization_admin = false;
  bool suspended = false;
  Timestamp created_at;
};

/// Adds the fields of a user to the record of UserView or of a type derived from it.
template <class T>
schema::Record<T>& describeUser(schema::Record<T>& record);

schema::Codec<UserView> userViewCodec();
schema::Codec<UserKind> userKindCodec();
schema::Codec<TeamRole> teamRoleCodec();

template <class T>
schema::Record<T>& describeUser(schema::Record<T>& record) {
  using schema::string;
  return record.required("id", &UserView::id, string(), "Assigned by the server.")
      .required("username", &UserView::username, string(), "Unique in the deployment.")
      .required("email", &UserView::email, schema::nullable(string()), "Null for service accounts.")
      .required("name", &UserView::name, schema::nullable(string()), "Full name.")
      .required("kind", &UserView::kind, userKindCodec(), "A person or a service account.")
      .required("organization_admin", &UserView::organization_admin, schema::boolean(),
                "Administers the whole deployment.")
      .required("suspended", &UserView::suspended, schema::boolean(),
                "Keys and sessions of a suspended user are refused.")
      .required("created_at", &UserView::created_at, schema::dateTime());
}

using http::pageReply;

/// Converts the page query of a request to the PageRequest of a repository.
/// @return kInvalidSchema for a cursor that this API did not issue.
Result<PageRequest> pageRequestOf(const http::PageQuery& query);

}  // namespace spindle::identity
