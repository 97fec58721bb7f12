#include "identity/api/user_view.h"

#include <algorithm>

namespace spindle::identity {
namespace {

/// Returns true if the text has the format of an id, `usr_01J…`: 26 characters after the prefix.
bool hasIdFormat(std::string_view text) {
  constexpr std::size_t kUlidSize = 26;
  const std::size_t prefix = text.find('_');
  if (prefix == std::string_view::npos || text.size() != prefix + 1 + kUlidSize) return false;
  const std::string_view ulid = text.substr(prefix + 1);
  return std::all_of(ulid.begin(), ulid.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

UserView::UserView(const User& user)
    : id(user.id),
      username(user.username),
      email(user.email),
      kind(user.kind),
      organization_admin(user.organization_admin),
      suspended(user.suspended),
      created_at(user.created_at) {
  if (!user.name.empty()) name = user.name;
}

schema::Codec<UserKind> userKindCodec() {
  return schema::enumeration<UserKind>(
      {{"user", UserKind::kUser}, {"service", UserKind::kService}});
}

schema::Codec<TeamRole> teamRoleCodec() {
  return schema::enumeration<TeamRole>(
      {{"ADMIN", TeamRole::kAdmin}, {"MEMBER", TeamRole::kMember}, {"VIEWER", TeamRole::kViewer}});
}

schema::Codec<UserView> userViewCodec() {
  schema::Record<UserView> record("User");
  return describeUser(record).codec();
}

Result<PageRequest> pageRequestOf(const http::PageQuery& query) {
  std::string after = TRY(http::decodeCursor(query.cursor));
  if (!after.empty() && !hasIdFormat(after)) return http::invalidCursor(query.cursor);
  PageRequest request;
  request.limit = static_cast<int>(query.limit);
  request.after = std::move(after);
  return request;
}

}  // namespace spindle::identity
