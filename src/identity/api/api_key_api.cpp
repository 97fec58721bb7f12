#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/identity_api.h"
#include "identity/api/request_parts.h"
#include "identity/api/user_view.h"
#include "identity/store/api_key_repository.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_repository.h"
#include "identity/types/names.h"

namespace spindle::identity {
namespace {

using http::Context;
using schema::Extra, schema::nullable, schema::string;

struct KeyView : ApiKey {
  std::string owner;
};

/// The response to the creation of a key. Only this response contains the text of the key.
struct IssuedKeyView : KeyView {
  std::string key;
};

struct AccountView {
  std::string id;
  std::string username;
  std::string description;
  ServiceScope scope = ServiceScope::kTeam;
  std::optional<std::string> team;
  Timestamp created_at;
};
struct NewAccountView {
  AccountView account;
  std::string api_key;
};

struct KeyQuery : http::PageQuery {
  std::optional<std::string> owner;
};
struct KeyPath {
  std::string id;
};
struct AccountTeamPath {
  std::string team;
};
struct NewAccountBody : NewServiceAccount {
  ServiceScope scope = ServiceScope::kTeam;
};

schema::Codec<std::string> labelCodec() {
  return string({.min_length = 1, .max_length = kMaxLabel});
}

schema::Codec<ServiceScope> scopeCodec() {
  return schema::enumeration<ServiceScope>(
      {{"team", ServiceScope::kTeam}, {"organization", ServiceScope::kOrganization}});
}

/// Starts the record of KeyView or IssuedKeyView.
template <class View>
schema::Record<View> keyRecord(const std::string& name, std::string_view key_id_doc) {
  schema::Record<View> record(name);
  record.required("id", &View::id, string(), "Id for revoking the key.")
      .required("key_id", &View::key_id, string(), key_id_doc)
      .required("name", &View::name, string())
      .required("owner", &View::owner, string(), "User name.");
  return record;
}

/// Adds the times of creation and expiry.
template <class View>
schema::Record<View>& addKeyTimes(schema::Record<View>& record) {
  return record.required("created_at", &View::created_at, schema::dateTime())
      .required("expires_at", &View::expires_at, nullable(schema::dateTime()), "Null: never.");
}

schema::Codec<KeyView> keyViewCodec() {
  auto record = keyRecord<KeyView>("ApiKey", "First part of the key, which identifies it.");
  return addKeyTimes(record)
      .required("last_used_at", &KeyView::last_used_at, nullable(schema::dateTime()),
                "Accurate to about ten minutes.")
      .codec();
}

schema::Codec<IssuedKeyView> issuedKeyCodec() {
  auto record = keyRecord<IssuedKeyView>("IssuedApiKey", "First part of the key.");
  record.required("key", &IssuedKeyView::key, string(), "The key itself. It is never shown again.");
  return addKeyTimes(record).codec();
}

schema::Codec<NewAccountView> newAccountViewCodec() {
  const auto account =
      schema::Record<AccountView>("ServiceAccount")
          .required("id", &AccountView::id, string())
          .required("username", &AccountView::username, string())
          .required("description", &AccountView::description, string())
          .required("scope", &AccountView::scope, scopeCodec(), "One team, or all teams.")
          .required("team", &AccountView::team, nullable(string()), "Null for organization scope.")
          .required("created_at", &AccountView::created_at, schema::dateTime())
          .codec();
  return schema::Record<NewAccountView>("NewServiceAccountReply")
      .required("account", &NewAccountView::account, account)
      .required("api_key", &NewAccountView::api_key, string(), "Its key. It is never shown again.")
      .codec();
}

schema::Codec<NewAccountBody> newAccountCodec() {
  return schema::Record<NewAccountBody>("NewServiceAccount", Extra::kForbid)
      .required("description", &NewAccountBody::description, labelCodec(),
                "What it is for; unique in the team.")
      .optional("scope", &NewAccountBody::scope, scopeCodec(),
                "`organization`: access to every team; for organization admins.")
      .codec();
}

schema::Codec<NewApiKey> newKeyCodec() {
  return schema::Record<NewApiKey>("NewApiKey", Extra::kForbid)
      .required("name", &NewApiKey::name, labelCodec(), "Unique for its owner.")
      .optional("expires_at", &NewApiKey::expires_at, nullable(schema::dateTime()),
                "Time of expiry; null: never.")
      .codec();
}

/// The access of a caller to the API keys of a user.
enum class KeyAccess {
  kNone,     ///< cannot see the user
  kVisible,  ///< sees the user in a common team
  kManage,   ///< may list, create and revoke the keys
};

/// Returns the caller's access to the keys of `owner`. The owner, the admins of a service account's
/// team, and organization admins manage keys.
Result<KeyAccess> keyAccessOf(const IdentityServices& services,
                              const std::string& caller,
                              const User& owner) {
  if (caller == owner.id) return KeyAccess::kManage;
  if (TRY(services.access.isOrganizationAdmin(caller))) return KeyAccess::kManage;
  const std::vector<TeamOfUser> teams = TRY(services.teams.teamsOf(owner.id));
  KeyAccess key_access = KeyAccess::kNone;
  for (const TeamOfUser& entry : teams) {
    const Result<TeamAccess> access = services.access.findTeam(caller, entry.team.name);
    if (!access && access.error().code() == ErrorCode::kNotFound) continue;
    if (!access) return access.error();
    const bool own_team = owner.kind == UserKind::kService && owner.team_id == entry.team.id;
    if (own_team && allows(Action::kManageMembers, access->roles)) return KeyAccess::kManage;
    key_access = KeyAccess::kVisible;
  }
  return key_access;
}

/// Returns the user whose keys the request concerns: the caller, or the named user. @return
/// kPermissionDenied for a user of the caller's teams, kNotFound for any other user, whether it
/// exists or not.
Result<User> ownerOf(const IdentityServices& services,
                     const Context& context,
                     const std::optional<std::string>& username) {
  const std::string& caller = context.caller().user_id;
  if (!username) return services.users.find(caller);
  User owner = TRY(services.users.findByUsername(*username));
  const KeyAccess key_access = TRY(keyAccessOf(services, caller, owner));
  if (key_access == KeyAccess::kNone) return Error::notFound("User not found");
  if (key_access == KeyAccess::kVisible) return Error::denied("You are not allowed to do this.");
  return owner;
}

Result<http::PageReply<KeyView>> listKeys(const IdentityServices& services,
                                          const Context& context,
                                          const KeyQuery& query) {
  const User owner = TRY(ownerOf(services, context, query.owner));
  const PageRequest request = TRY(pageRequestOf(query));
  const Page<ApiKey> page = TRY(services.keys.list(owner.id, request));
  return pageReply<KeyView>(page, [&owner](const ApiKey& key) {
    return KeyView{key, owner.username};
  });
}

Result<IssuedKeyView> createKey(const IdentityServices& services,
                                const Context& context,
                                const KeyQuery& query,
                                NewApiKey body) {
  const User owner = TRY(ownerOf(services, context, query.owner));
  body.owner_id = owner.id;
  const IssuedKey issued = TRY(services.keys.issue(body));
  return IssuedKeyView{{issued.key, owner.username}, std::string(issued.text.reveal())};
}

Result<void> revokeKey(const IdentityServices& services,
                       const Context& context,
                       const KeyPath& path) {
  const ApiKey key = TRY(services.keys.find(path.id));
  const User owner = TRY(services.users.find(key.owner_id));
  const KeyAccess key_access = TRY(keyAccessOf(services, context.caller().user_id, owner));
  if (key_access != KeyAccess::kManage) return Error::notFound("API key not found");
  TRY(services.keys.remove(path.id));
  return {};
}

Result<NewAccountView> createAccount(const IdentityServices& services,
                                     const Context& context,
                                     const AccountTeamPath& path,
                                     NewAccountBody body) {
  const std::string& caller = context.caller().user_id;
  const TeamAccess access =
      TRY(services.access.requireInTeam(caller, path.team, Action::kManageMembers));
  const bool for_team = body.scope == ServiceScope::kTeam;
  if (!for_team) {
    TRY(services.access.requireInOrganization(caller, Action::kCreateTeam));
  }
  if (for_team) body.team_id = access.team_id;
  const ApiKeyRepository::NewAccount made = TRY(services.keys.issueForServiceAccount(body));
  NewAccountView view;
  view.account.id = made.account.id;
  view.account.username = made.account.username;
  view.account.description = made.account.description;
  view.account.scope = body.scope;
  if (for_team) view.account.team = path.team;
  view.account.created_at = made.account.created_at;
  view.api_key = made.key.text.reveal();
  return view;
}

}  // namespace

void addApiKeyRoutes(const IdentityRoutes& routes) {
  constexpr std::string_view kOwnerDoc =
      "User name of the owner; the caller when left out. Team admins may name service accounts of "
      "their team, organization admins anyone.";
  routes.post(
      "/api/v1/teams/{team}/service-accounts",
      {"createServiceAccount", "Add a service account with its first key", "For team admins."},
      {.params = inTeam<AccountTeamPath>(),
       .body = newAccountCodec(),
       .reply = newAccountViewCodec(),
       .status = 201},
      createAccount);
  routes.get(
      "/api/v1/api-keys",
      {"listApiKeys", "List API keys", "The keys of one user, newest first, without their values."},
      {.params = http::pageParameters<KeyQuery>().query("owner", &KeyQuery::owner,
                                                        nullable(string()), kOwnerDoc),
       .reply = http::pageCodec("ApiKeyPage", keyViewCodec())},
      listKeys);
  routes.post(
      "/api/v1/api-keys",
      {"createApiKey", "Create an API key", "Only this response contains the value of the key."},
      {.params = http::Parameters<KeyQuery>().query("owner", &KeyQuery::owner, nullable(string()),
                                                    kOwnerDoc),
       .body = newKeyCodec(),
       .reply = issuedKeyCodec(),
       .status = 201},
      createKey);
  routes.remove(
      "/api/v1/api-keys/{id}",
      {"revokeApiKey", "Revoke an API key", "The server rejects the key from the next request on."},
      {.params = http::Parameters<KeyPath>().path("id", &KeyPath::id, string(), "Id of the key.")},
      revokeKey);
}

}  // namespace spindle::identity
