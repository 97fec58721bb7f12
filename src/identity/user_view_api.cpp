#include "identity/user_view_api.h"

namespace spindle::identity {

UserView::UserView(const User& user)
    : id(user.id),
      username(user.username),
      email(user.email),
      kind(user.kind),
      organization_admin(user.organization_admin),
      created_at(user.created_at) {
  if (!user.name.empty()) name = user.name;
}

schema::Codec<UserKind> userKindCodec() {
  return schema::enumeration<UserKind>({{"user", UserKind::kUser}, {"service", UserKind::kService}});
}

schema::Codec<TeamRole> teamRoleCodec() {
  return schema::enumeration<TeamRole>({{"ADMIN", TeamRole::kAdmin},
                                        {"MEMBER", TeamRole::kMember},
                                        {"VIEWER", TeamRole::kViewer}});
}

schema::Codec<UserView> userViewCodec() {
  schema::Record<UserView> record("User");
  return describeUser(record).codec();
}

Result<PageRequest> pageRequestOf(const http::PageQuery& query) {
  Result<std::string> after = http::decodeCursor(query.cursor);
  if (!after) return std::move(after).error();
  PageRequest request;
  request.limit = static_cast<int>(query.limit);
  request.after = std::move(after).value();
  return request;
}

}  // namespace spindle::identity
