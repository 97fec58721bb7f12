#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "http/paging.h"
#include "identity/page.h"
#include "identity/user.h"
#include "schema/record.h"

namespace spindle::identity {

/// A user as the API shows it.
struct UserView {
  UserView() = default;
  explicit UserView(const User& user);

  std::string id;
  std::string username;
  std::optional<std::string> email;
  std::optional<std::string> name;
  UserKind kind = UserKind::kUser;
  bool organization_admin = false;
  Timestamp created_at;
};

/// Adds the members of a user to a record of something that shows one.
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
      .required("email", &UserView::email, schema::nullable(string()), "Null of service accounts.")
      .required("name", &UserView::name, schema::nullable(string()), "Full name.")
      .required("kind", &UserView::kind, userKindCodec(), "A person or a service account.")
      .required("organization_admin", &UserView::organization_admin, schema::boolean(),
                "Administers the whole deployment.")
      .required("created_at", &UserView::created_at, schema::dateTime(), "");
}

/// A domain page as the API shows it.
template <class View, class T, class Show>
http::PageReply<View> pageReply(const Page<T>& page, Show show) {
  http::PageReply<View> reply;
  reply.items.reserve(page.items.size());
  for (const T& item : page.items) reply.items.push_back(show(item));
  if (page.next) reply.next_cursor = http::encodeCursor(*page.next);
  return reply;
}

/// The domain's idea of a page query. @return kInvalidSchema for a foreign cursor.
Result<PageRequest> pageRequestOf(const http::PageQuery& query);

}  // namespace spindle::identity
