#include "http/router/etag.h"
#include "http/router/route_group.h"
#include "identity/api/user_view.h"
#include "identity/types/names.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/registry_access.h"
#include "registry/repositories/registry_repository.h"
#include "registry/routes/artifact_view.h"
#include "schema/described.h"

namespace spindle::registry {
namespace {

using http::Context, http::Reply;
using identity::Action, identity::RegistryRole;
using schema::Extra, schema::ifPresent, schema::string;

constexpr std::string_view kRegistriesTag = "registries";

struct RegistryView {
  RegistryView() = default;
  explicit RegistryView(const Registry& registry)
      : id(registry.id),
        name(registry.name),
        visibility(registry.visibility),
        description(registry.description),
        allow_all_artifact_types(registry.all_types),
        artifact_types(registry.types),
        created_by(registry.created_by),
        created_at(registry.created_at),
        updated_at(registry.updated_at) {}

  std::string id;
  std::string name;
  RegistryVisibility visibility = RegistryVisibility::kOrganization;
  std::string description;
  bool allow_all_artifact_types = true;
  std::vector<std::string> artifact_types;
  std::string created_by;
  Timestamp created_at;
  Timestamp updated_at;
};

struct MemberView {
  RegistryMember::Kind kind = RegistryMember::Kind::kUser;
  std::string name;
  RegistryRole role = RegistryRole::kRestrictedViewer;
  Timestamp created_at;
};

struct AliasesReply {
  std::vector<std::string> items;
};
struct RoleBody {
  std::optional<RegistryRole> role;
};

struct RegistryPath {
  std::string registry;
};
struct MembersPath : RegistryPath, http::PageQuery {};
struct MemberPath : RegistryPath {
  RegistryMember::Kind kind = RegistryMember::Kind::kUser;
  std::string name;
};
struct AliasPath : RegistryPath {
  std::string alias;
};

schema::Codec<RegistryVisibility> visibilityCodec() {
  return schema::enumeration<RegistryVisibility>(
      {{"organization", RegistryVisibility::kOrganization},
       {"restricted", RegistryVisibility::kRestricted}});
}

schema::Codec<RegistryRole> roleCodec() {
  std::vector<std::pair<std::string, RegistryRole>> names;
  for (const RegistryRole role : {RegistryRole::kAdmin, RegistryRole::kMember,
                                  RegistryRole::kViewer, RegistryRole::kRestrictedViewer}) {
    names.emplace_back(std::string(textOf(role)), role);
  }
  return schema::enumeration<RegistryRole>(names);
}

schema::Codec<RegistryMember::Kind> kindCodec() {
  return schema::enumeration<RegistryMember::Kind>(
      {{"users", RegistryMember::Kind::kUser}, {"teams", RegistryMember::Kind::kTeam}});
}

schema::Codec<std::string> nameCodec() {
  return string(
      {.min_length = 1, .max_length = kMaxRegistryName, .pattern = identity::kProjectNamePattern});
}

/// Refuses `latest`: every link moves it, so it cannot be protected.
schema::Codec<std::string> protectableCodec() {
  const auto checked = schema::checked<std::string>(
      aliasCodec(), [](const std::string& alias) -> std::optional<schema::RuleError> {
        if (alias != kLatest) return std::nullopt;
        return schema::RuleError{"reserved_name", "The alias latest cannot be protected", {}};
      });
  return schema::described(checked, R"({"allOf":[{"not":{"const":"latest"}}]})");
}

schema::Codec<RegistryView> registryViewCodec() {
  return schema::Record<RegistryView>("Registry")
      .required("id", &RegistryView::id, string(), "Assigned by the server: `reg_…`.")
      .required("name", &RegistryView::name, string(), "Unique in the organization.")
      .required("visibility", &RegistryView::visibility, visibilityCodec(),
                "Visible to the whole organization, or only to its members.")
      .required("description", &RegistryView::description, string(), "")
      .required("allow_all_artifact_types", &RegistryView::allow_all_artifact_types,
                schema::boolean(), "Accepts artifacts of any type.")
      .required("artifact_types", &RegistryView::artifact_types, schema::list(string()),
                "Accepted types if it does not accept all.")
      .required("created_by", &RegistryView::created_by, string(), "Username.")
      .required("created_at", &RegistryView::created_at, schema::dateTime(), "")
      .required("updated_at", &RegistryView::updated_at, schema::dateTime(), "")
      .codec();
}

schema::Codec<NewRegistry> newRegistryCodec() {
  return schema::Record<NewRegistry>("NewRegistry", Extra::kForbid)
      .required("name", &NewRegistry::name, nameCodec(), "Unique in the organization.")
      .required("visibility", &NewRegistry::visibility, visibilityCodec(), "")
      .optional("description", &NewRegistry::description, string(), "")
      .optional("artifact_types", &NewRegistry::types,
                schema::list(typeCodec(), {.max_items = 100}),
                "Accepted types. Default, and if empty: all types.")
      .codec();
}

schema::Codec<RegistryChange> registryChangeCodec() {
  return schema::Record<RegistryChange>("RegistryChange", Extra::kForbid)
      .optional("name", &RegistryChange::name, ifPresent(nameCodec()),
                "A new name; paths change with it.")
      .optional("description", &RegistryChange::description, ifPresent(string()), "")
      .optional("visibility", &RegistryChange::visibility, ifPresent(visibilityCodec()),
                "Registry admins only.")
      .optional("add_artifact_types", &RegistryChange::add_types,
                schema::list(typeCodec(), {.max_items = 100}),
                "Additional types to accept. Types cannot be removed. A registry that accepted all "
                "types then accepts these and the types of its collections.")
      .codec();
}

schema::Codec<MemberView> memberCodec() {
  return schema::Record<MemberView>("RegistryMember")
      .required("kind", &MemberView::kind, kindCodec(), "")
      .required("name", &MemberView::name, string(), "Username or name of the team.")
      .required("role", &MemberView::role, roleCodec(), "")
      .required("created_at", &MemberView::created_at, schema::dateTime(), "")
      .codec();
}

template <class P>
http::Parameters<P>& ofRegistry(http::Parameters<P>& parameters) {
  return parameters.path("registry", &RegistryPath::registry, string(), "Name of the registry.");
}

http::Parameters<MemberPath> memberPath() {
  http::Parameters<MemberPath> parameters;
  return ofRegistry(parameters)
      .path("kind", &MemberPath::kind, kindCodec(), "Kind of member.")
      .path("name", &MemberPath::name, string(), "Username or name of the team.");
}

http::Parameters<AliasPath> aliasPath() {
  http::Parameters<AliasPath> parameters;
  return ofRegistry(parameters).path("alias", &AliasPath::alias, protectableCodec(), "The alias.");
}

MemberView viewOf(const RegistryMember& member) {
  return {member.kind, member.name, member.role, member.created_at};
}

Reply<RegistryView> registryReply(const Registry& registry) {
  return Reply(RegistryView(registry)).with("ETag", http::etagOf(registry.revision));
}

Actor callerOf(const Context& context) {
  return {context.caller().user_id, context.caller().username};
}

Result<VisibleRegistry> requireRegistry(const RegistryServices& services,
                                        const Context& context,
                                        const RegistryPath& path,
                                        Action action) {
  return services.registry_access.require(context.caller().user_id, path.registry, action);
}

Result<Reply<RegistryView>> createRegistry(const RegistryServices& services,
                                           const Context& context,
                                           const NewRegistry& body) {
  if (!TRY(services.registries.mayCreate(context.caller().user_id)))
    return Error::denied("Only members of a team can create registries.");
  const Registry made = TRY(services.registries.insert(callerOf(context), body));
  return registryReply(made);
}

Result<http::PageReply<RegistryView>> listRegistries(const RegistryServices& services,
                                                     const Context& context,
                                                     const http::PageQuery& query) {
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  const identity::Page<Registry> page =
      TRY(services.registries.list(context.caller().user_id, request));
  return identity::pageReply<RegistryView>(
      page, [](const Registry& registry) { return RegistryView(registry); });
}

Result<Reply<RegistryView>> showRegistry(const RegistryServices& services,
                                         const Context& context,
                                         const RegistryPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kViewRegistry));
  return registryReply(entry.registry);
}

Result<Reply<RegistryView>> changeRegistry(const RegistryServices& services,
                                           const Context& context,
                                           const RegistryPath& path,
                                           const RegistryChange& body) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path,
                          body.visibility ? Action::kManageRegistry : Action::kRenameRegistry));
  const std::optional<std::int64_t> revision = TRY(http::expectedVersion(context.request.headers));
  const Registry changed =
      TRY(services.registries.update(entry.registry.id, callerOf(context), body, revision));
  return registryReply(changed);
}

Result<void> removeRegistry(const RegistryServices& services,
                            const Context& context,
                            const RegistryPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kDeleteRegistry));
  const std::optional<std::int64_t> revision = TRY(http::expectedVersion(context.request.headers));
  TRY(services.registries.remove(entry.registry.id, revision));
  return {};
}

Result<http::PageReply<MemberView>> listMembers(const RegistryServices& services,
                                                const Context& context,
                                                const MembersPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kViewRegistry));
  const identity::PageRequest request = TRY(identity::pageRequestOf(path));
  const identity::Page<RegistryMember> page =
      TRY(services.registries.members(entry.registry.id, request));
  return identity::pageReply<MemberView>(page, viewOf);
}

Result<MemberView> putMember(const RegistryServices& services,
                             const Context& context,
                             const MemberPath& path,
                             const RoleBody& body) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kManageRegistry));
  const RegistryMember member =
      TRY(services.registries.putMember(entry.registry.id, path.kind, path.name, body.role));
  return viewOf(member);
}

Result<void> removeMember(const RegistryServices& services,
                          const Context& context,
                          const MemberPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kManageRegistry));
  TRY(services.registries.removeMember(entry.registry.id, path.kind, path.name));
  return {};
}

Result<AliasesReply> listAliases(const RegistryServices& services,
                                 const Context& context,
                                 const RegistryPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kViewRegistry));
  std::vector<std::string> aliases = TRY(services.registries.protectedAliases(entry.registry.id));
  return AliasesReply{std::move(aliases)};
}

Result<void> changeAlias(const RegistryServices& services,
                         const Context& context,
                         const AliasPath& path,
                         bool protects) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kManageRegistry));
  TRY(protects ? services.registries.protect(entry.registry.id, path.alias)
               : services.registries.unprotect(entry.registry.id, path.alias));
  return {};
}

void addRegistryItemRoutes(RegistryRoutes routes) {
  routes.setTag(kRegistriesTag);
  http::Parameters<RegistryPath> registry_path;
  ofRegistry(registry_path);
  routes.post("/api/v1/registries",
              {"createRegistry", "Add a registry",
               "For members of any team. The creator becomes an admin of the registry."},
              {.body = newRegistryCodec(),
               .reply = registryViewCodec(),
               .status = 201,
               .facts = {.etag = true}},
              createRegistry);
  routes.get(
      "/api/v1/registries",
      {"listRegistries", "List registries", "Registries that the caller can see, newest first."},
      {.params = http::pageParameters<http::PageQuery>(),
       .reply = http::pageCodec("RegistryPage", registryViewCodec())},
      listRegistries);
  routes.get("/api/v1/registries/{registry}", {"getRegistry", "Show a registry"},
             {.params = registry_path, .reply = registryViewCodec(), .facts = {.etag = true}},
             showRegistry);
  routes.patch("/api/v1/registries/{registry}",
               {"changeRegistry", "Change a registry",
                "For registry members. Only registry admins can change the visibility."},
               {.params = registry_path,
                .body = registryChangeCodec(),
                .reply = registryViewCodec(),
                .facts = {.etag = true, .if_match = true}},
               changeRegistry);
  routes.remove("/api/v1/registries/{registry}",
                {"deleteRegistry", "Remove a registry with its collections and links",
                 "For organization admins, the admin who created the registry, and admins of a "
                 "team that is an admin of the registry. The source versions stay."},
                {.params = registry_path, .facts = {.if_match = true}}, removeRegistry);
}

void addMemberRoutes(RegistryRoutes routes) {
  routes.setTag(kRegistriesTag);
  http::Parameters<MembersPath> members_path = http::pageParameters<MembersPath>();
  routes.get("/api/v1/registries/{registry}/members",
             {"listRegistryMembers", "List the members of a registry"},
             {.params = ofRegistry(members_path),
              .reply = http::pageCodec("RegistryMemberPage", memberCodec())},
             listMembers);
  routes.put(
      "/api/v1/registries/{registry}/members/{kind}/{name}",
      {"putRegistryMember", "Set the role of a user or team", "Registry admins only."},
      {.params = memberPath(),
       .body =
           schema::Record<RoleBody>("RegistryRole", Extra::kForbid)
               .optional("role", &RoleBody::role, ifPresent(roleCodec()),
                         "Default: restricted viewer; admin for organization admins, member for "
                         "service accounts.")
               .codec(),
       .reply = memberCodec()},
      putMember);
  routes.remove(
      "/api/v1/registries/{registry}/members/{kind}/{name}",
      {"removeRegistryMember", "Remove a member from a registry", "Registry admins only."},
      {.params = memberPath()}, removeMember);
}

void addAliasRoutes(RegistryRoutes routes) {
  routes.setTag(kRegistriesTag);
  http::Parameters<RegistryPath> registry_path;
  routes.get("/api/v1/registries/{registry}/protected-aliases",
             {"listProtectedAliases", "List the protected aliases"},
             {.params = ofRegistry(registry_path),
              .reply = schema::Record<AliasesReply>("ProtectedAliases")
                           .required("items", &AliasesReply::items, schema::list(string()), "")
                           .codec()},
             listAliases);
  for (const bool protects : {true, false}) {
    routes.add(protects ? http::Method::kPut : http::Method::kDelete,
               "/api/v1/registries/{registry}/protected-aliases/{alias}",
               {protects ? "protectAlias" : "unprotectAlias",
                protects ? "Protect an alias" : "Remove the protection of an alias",
                "Registry admins only. Only they can set and remove a protected alias."},
               {.params = aliasPath(), .status = 204},
               [protects](const RegistryServices& services, const Context& context,
                          const AliasPath& path) {
                 return changeAlias(services, context, path, protects);
               });
  }
}

}  // namespace

void addRegistryAdminRoutes(RegistryRoutes routes) {
  addRegistryItemRoutes(routes);
  addMemberRoutes(routes);
  addAliasRoutes(routes);
}

}  // namespace spindle::registry
