#include "http/router/etag.h"
#include "http/router/router.h"
#include "identity/api/user_view.h"
#include "identity/types/names.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/registry_access.h"
#include "registry/repositories/registry_repository.h"
#include "registry/routes/artifact_view.h"
#include "schema/described.h"

namespace spindle::registry {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Reply;
using identity::Action;
using identity::RegistryRole;
using schema::Extra;
using schema::ifPresent;
using schema::string;

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

Result<Reply<http::PageReply<RegistryView>>> listRegistries(const RegistryServices& services,
                                                            const Context& context,
                                                            const http::PageQuery& query) {
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  const identity::Page<Registry> page =
      TRY(services.registries.list(context.caller().user_id, request));
  return Reply(identity::pageReply<RegistryView>(
      page, [](const Registry& registry) { return RegistryView(registry); }));
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

Result<Reply<Nothing>> removeRegistry(const RegistryServices& services,
                                      const Context& context,
                                      const RegistryPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kDeleteRegistry));
  const std::optional<std::int64_t> revision = TRY(http::expectedVersion(context.request.headers));
  TRY(services.registries.remove(entry.registry.id, revision));
  return Reply(Nothing{});
}

Result<Reply<http::PageReply<MemberView>>> listMembers(const RegistryServices& services,
                                                       const Context& context,
                                                       const MembersPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kViewRegistry));
  const identity::PageRequest request = TRY(identity::pageRequestOf(path));
  const identity::Page<RegistryMember> page =
      TRY(services.registries.members(entry.registry.id, request));
  return Reply(identity::pageReply<MemberView>(page, viewOf));
}

Result<Reply<MemberView>> putMember(const RegistryServices& services,
                                    const Context& context,
                                    const MemberPath& path,
                                    const RoleBody& body) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kManageRegistry));
  const RegistryMember member =
      TRY(services.registries.putMember(entry.registry.id, path.kind, path.name, body.role));
  return Reply(viewOf(member));
}

Result<Reply<Nothing>> removeMember(const RegistryServices& services,
                                    const Context& context,
                                    const MemberPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kManageRegistry));
  TRY(services.registries.removeMember(entry.registry.id, path.kind, path.name));
  return Reply(Nothing{});
}

Result<Reply<AliasesReply>> listAliases(const RegistryServices& services,
                                        const Context& context,
                                        const RegistryPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kViewRegistry));
  std::vector<std::string> aliases = TRY(services.registries.protectedAliases(entry.registry.id));
  return Reply(AliasesReply{std::move(aliases)});
}

Result<Reply<Nothing>> changeAlias(const RegistryServices& services,
                                   const Context& context,
                                   const AliasPath& path,
                                   bool protects) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kManageRegistry));
  TRY(protects ? services.registries.protect(entry.registry.id, path.alias)
               : services.registries.unprotect(entry.registry.id, path.alias));
  return Reply(Nothing{});
}

void addRegistryItemRoutes(http::Router& router,
                           const RegistryServices& services,
                           const http::RoutePolicy& policy) {
  http::Parameters<RegistryPath> registry_path;
  ofRegistry(registry_path);
  router.add(Endpoint<Nothing, NewRegistry, RegistryView>{
      .method = Method::kPost,
      .path = "/api/v1/registries",
      .operation_id = "createRegistry",
      .summary = "Add a registry",
      .description = "For members of any team. The creator becomes an admin of the registry.",
      .tag = kRegistriesTag,
      .success_status = 201,
      .facts = {.etag = true},
      .policy = policy,
      .body = newRegistryCodec(),
      .reply = registryViewCodec(),
      .handler = [services](
                     const Context& context, const Nothing&,
                     const NewRegistry& body) { return createRegistry(services, context, body); },
  });
  router.add(Endpoint<http::PageQuery, Nothing, http::PageReply<RegistryView>>{
      .method = Method::kGet,
      .path = "/api/v1/registries",
      .operation_id = "listRegistries",
      .summary = "List registries",
      .description = "Registries that the caller can see, newest first.",
      .tag = kRegistriesTag,
      .policy = policy,
      .params = http::pageParameters<http::PageQuery>(),
      .reply = http::pageCodec("RegistryPage", registryViewCodec()),
      .handler = [services](const Context& context, const http::PageQuery& query,
                            Nothing) { return listRegistries(services, context, query); },
  });
  router.add(Endpoint<RegistryPath, Nothing, RegistryView>{
      .method = Method::kGet,
      .path = "/api/v1/registries/{registry}",
      .operation_id = "getRegistry",
      .summary = "Show a registry",
      .tag = kRegistriesTag,
      .facts = {.etag = true},
      .policy = policy,
      .params = registry_path,
      .reply = registryViewCodec(),
      .handler = [services](const Context& context, const RegistryPath& path,
                            Nothing) { return showRegistry(services, context, path); },
  });
  router.add(Endpoint<RegistryPath, RegistryChange, RegistryView>{
      .method = Method::kPatch,
      .path = "/api/v1/registries/{registry}",
      .operation_id = "changeRegistry",
      .summary = "Change a registry",
      .description = "For registry members. Only registry admins can change the visibility.",
      .tag = kRegistriesTag,
      .facts = {.etag = true, .if_match = true},
      .policy = policy,
      .params = registry_path,
      .body = registryChangeCodec(),
      .reply = registryViewCodec(),
      .handler =
          [services](const Context& context, const RegistryPath& path, const RegistryChange& body) {
            return changeRegistry(services, context, path, body);
          },
  });
  router.add(Endpoint<RegistryPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = "/api/v1/registries/{registry}",
      .operation_id = "deleteRegistry",
      .summary = "Remove a registry with its collections and links",
      .description = "For organization admins, the admin who created the registry, and admins of a "
                     "team that is an admin of the registry. The source versions stay.",
      .tag = kRegistriesTag,
      .success_status = 204,
      .facts = {.if_match = true},
      .policy = policy,
      .params = registry_path,
      .handler = [services](const Context& context, const RegistryPath& path,
                            Nothing) { return removeRegistry(services, context, path); },
  });
}

void addMemberRoutes(http::Router& router,
                     const RegistryServices& services,
                     const http::RoutePolicy& policy) {
  http::Parameters<MembersPath> members_path = http::pageParameters<MembersPath>();
  router.add(Endpoint<MembersPath, Nothing, http::PageReply<MemberView>>{
      .method = Method::kGet,
      .path = "/api/v1/registries/{registry}/members",
      .operation_id = "listRegistryMembers",
      .summary = "List the members of a registry",
      .tag = kRegistriesTag,
      .policy = policy,
      .params = ofRegistry(members_path),
      .reply = http::pageCodec("RegistryMemberPage", memberCodec()),
      .handler = [services](const Context& context, const MembersPath& path,
                            Nothing) { return listMembers(services, context, path); },
  });
  router.add(Endpoint<MemberPath, RoleBody, MemberView>{
      .method = Method::kPut,
      .path = "/api/v1/registries/{registry}/members/{kind}/{name}",
      .operation_id = "putRegistryMember",
      .summary = "Set the role of a user or team",
      .description = "Registry admins only.",
      .tag = kRegistriesTag,
      .policy = policy,
      .params = memberPath(),
      .body = schema::Record<RoleBody>("RegistryRole", Extra::kForbid)
                  .optional("role", &RoleBody::role, ifPresent(roleCodec()),
                            "Default: restricted viewer; admin for organization admins, member for "
                            "service accounts.")
                  .codec(),
      .reply = memberCodec(),
      .handler = [services](const Context& context, const MemberPath& path,
                            RoleBody body) { return putMember(services, context, path, body); },
  });
  router.add(Endpoint<MemberPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = "/api/v1/registries/{registry}/members/{kind}/{name}",
      .operation_id = "removeRegistryMember",
      .summary = "Remove a member from a registry",
      .description = "Registry admins only.",
      .tag = kRegistriesTag,
      .success_status = 204,
      .policy = policy,
      .params = memberPath(),
      .handler = [services](const Context& context, const MemberPath& path,
                            Nothing) { return removeMember(services, context, path); },
  });
}

void addAliasRoutes(http::Router& router,
                    const RegistryServices& services,
                    const http::RoutePolicy& policy) {
  http::Parameters<RegistryPath> registry_path;
  router.add(Endpoint<RegistryPath, Nothing, AliasesReply>{
      .method = Method::kGet,
      .path = "/api/v1/registries/{registry}/protected-aliases",
      .operation_id = "listProtectedAliases",
      .summary = "List the protected aliases",
      .tag = kRegistriesTag,
      .policy = policy,
      .params = ofRegistry(registry_path),
      .reply = schema::Record<AliasesReply>("ProtectedAliases")
                   .required("items", &AliasesReply::items, schema::list(string()), "")
                   .codec(),
      .handler = [services](const Context& context, const RegistryPath& path,
                            Nothing) { return listAliases(services, context, path); },
  });
  for (const bool protects : {true, false}) {
    router.add(Endpoint<AliasPath, Nothing, Nothing>{
        .method = protects ? Method::kPut : Method::kDelete,
        .path = "/api/v1/registries/{registry}/protected-aliases/{alias}",
        .operation_id = protects ? "protectAlias" : "unprotectAlias",
        .summary = protects ? "Protect an alias" : "Remove the protection of an alias",
        .description = "Registry admins only. Only they can set and remove a protected alias.",
        .tag = kRegistriesTag,
        .success_status = 204,
        .policy = policy,
        .params = aliasPath(),
        .handler = [services, protects](
                       const Context& context, const AliasPath& path,
                       Nothing) { return changeAlias(services, context, path, protects); },
    });
  }
}

}  // namespace

void addRegistryAdminRoutes(http::Router& router,
                            const RegistryServices& services,
                            const http::RoutePolicy& policy) {
  addRegistryItemRoutes(router, services, policy);
  addMemberRoutes(router, services, policy);
  addAliasRoutes(router, services, policy);
}

}  // namespace spindle::registry
