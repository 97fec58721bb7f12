#include <functional>

#include "http/router/resource.h"
#include "identity/api/user_view.h"
#include "identity/types/names.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/registry_access.h"
#include "registry/repositories/registry_repository.h"
#include "registry/routes/artifact_view.h"
#include "registry/routes/name_routes.h"
#include "schema/described.h"

namespace spindle::registry {
namespace {

using http::Context;
using identity::Action, identity::RegistryRole;
using schema::Extra, schema::ifPresent, schema::string;

constexpr std::string_view kRegistriesTag = "registries";

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
  return textCodec({RegistryVisibility::kOrganization, RegistryVisibility::kRestricted});
}

schema::Codec<RegistryRole> roleCodec() {
  return textCodec({RegistryRole::kAdmin, RegistryRole::kMember, RegistryRole::kViewer,
                    RegistryRole::kRestrictedViewer});
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

schema::Codec<Registry> registryCodec() {
  schema::Record<Registry> record("Registry");
  record.required("id", &Registry::id, string(), "Assigned by the server: `reg_…`.")
      .required("name", &Registry::name, string(), "Unique in the organization.")
      .required("visibility", &Registry::visibility, visibilityCodec(),
                "Visible to the whole organization, or only to its members.")
      .required("description", &Registry::description, string())
      .required("allow_all_artifact_types", &Registry::all_types, schema::boolean(),
                "Accepts artifacts of any type.")
      .required("artifact_types", &Registry::types, schema::list(string()),
                "Accepted types if it does not accept all.");
  return describeCreation(record).codec();
}

schema::Codec<NewRegistry> newRegistryCodec() {
  return schema::Record<NewRegistry>("NewRegistry", Extra::kForbid)
      .required("name", &NewRegistry::name, nameCodec(), "Unique in the organization.")
      .required("visibility", &NewRegistry::visibility, visibilityCodec())
      .optional("description", &NewRegistry::description, string())
      .optional("artifact_types", &NewRegistry::types,
                schema::list(typeCodec(), {.max_items = 100}),
                "Accepted types. Default, and if empty: all types.")
      .codec();
}

schema::Codec<RegistryChange> registryChangeCodec() {
  return schema::Record<RegistryChange>("RegistryChange", Extra::kForbid)
      .optional("name", &RegistryChange::name, ifPresent(nameCodec()),
                "A new name; paths change with it.")
      .optional("description", &RegistryChange::description, ifPresent(string()))
      .optional("visibility", &RegistryChange::visibility, ifPresent(visibilityCodec()),
                "Registry admins only.")
      .optional("add_artifact_types", &RegistryChange::add_types,
                schema::list(typeCodec(), {.max_items = 100}),
                "Additional types to accept. Types cannot be removed. A registry that accepted all "
                "types then accepts these and the types of its collections.")
      .codec();
}

schema::Codec<RegistryMember> memberCodec() {
  return schema::Record<RegistryMember>("RegistryMember")
      .required("kind", &RegistryMember::kind, kindCodec())
      .required("name", &RegistryMember::name, string(), "Username or name of the team.")
      .required("role", &RegistryMember::role, roleCodec())
      .required("created_at", &RegistryMember::created_at, schema::dateTime())
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

Result<VisibleRegistry> requireRegistry(const RegistryServices& services,
                                        const Context& context,
                                        const RegistryPath& path,
                                        Action action) {
  return services.registry_access.require(context.caller().user_id, path.registry, action);
}

Result<Registry> createRegistry(const RegistryServices& services,
                                const Context& context,
                                const NewRegistry& body) {
  if (!TRY(services.registries.mayCreate(context.caller().user_id)))
    return Error::denied("Only members of a team can create registries.");
  return services.registries.insert(callerOf(context), body);
}

Result<identity::Page<Registry>> listRegistries(const RegistryServices& services,
                                                const Context& context,
                                                const http::PageQuery& query) {
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  return services.registries.list(context.caller().user_id, request);
}

Result<Registry> showRegistry(const RegistryServices& services,
                              const Context& context,
                              const RegistryPath& path) {
  VisibleRegistry entry = TRY(requireRegistry(services, context, path, Action::kViewRegistry));
  return std::move(entry.registry);
}

Result<Registry> changeRegistry(const RegistryServices& services,
                                const Context& context,
                                const RegistryPath& path,
                                const RegistryChange& body) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path,
                          body.visibility ? Action::kManageRegistry : Action::kRenameRegistry));
  const identity::IfVersion revision = TRY(http::expectedVersion(context.request.headers));
  return services.registries.update(entry.registry.id, callerOf(context), body, revision);
}

Result<void> removeRegistry(const RegistryServices& services,
                            const Context& context,
                            const RegistryPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kDeleteRegistry));
  const identity::IfVersion revision = TRY(http::expectedVersion(context.request.headers));
  return services.registries.remove(entry.registry.id, revision);
}

Result<http::PageReply<RegistryMember>> listMembers(const RegistryServices& services,
                                                    const Context& context,
                                                    const MembersPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kViewRegistry));
  const identity::PageRequest request = TRY(identity::pageRequestOf(path));
  const identity::Page<RegistryMember> page =
      TRY(services.registries.members(entry.registry.id, request));
  return identity::pageReply<RegistryMember>(page, std::identity());
}

Result<RegistryMember> putMember(const RegistryServices& services,
                                 const Context& context,
                                 const MemberPath& path,
                                 const RoleBody& body) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kManageRegistry));
  return services.registries.putMember(entry.registry.id, path.kind, path.name, body.role);
}

Result<void> removeMember(const RegistryServices& services,
                          const Context& context,
                          const MemberPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kManageRegistry));
  return services.registries.removeMember(entry.registry.id, path.kind, path.name);
}

Result<NamesReply> listAliases(const RegistryServices& services,
                               const Context& context,
                               const RegistryPath& path) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kViewRegistry));
  std::vector<std::string> aliases = TRY(services.registries.protectedAliases(entry.registry.id));
  return NamesReply{std::move(aliases)};
}

Result<void> changeAlias(const RegistryServices& services,
                         const Context& context,
                         const AliasPath& path,
                         bool protects) {
  const VisibleRegistry entry =
      TRY(requireRegistry(services, context, path, Action::kManageRegistry));
  return protects ? services.registries.protect(entry.registry.id, path.alias)
                  : services.registries.unprotect(entry.registry.id, path.alias);
}

void addRegistryItemRoutes(RegistryRoutes routes) {
  routes.setTag(kRegistriesTag);
  http::Parameters<RegistryPath> registry_path;
  ofRegistry(registry_path);
  const http::Resource registries(routes, {"/api/v1/registries", "/api/v1/registries/{registry}"},
                                  registry_path, registryCodec(), &Registry::revision);
  registries.create({"createRegistry", "Add a registry",
                     "For members of any team. The creator becomes an admin of the registry."},
                    newRegistryCodec(), createRegistry);
  registries.list(
      {"listRegistries", "List registries", "Registries that the caller can see, newest first."},
      "RegistryPage", http::pageParameters<http::PageQuery>(), listRegistries);
  registries.show({"getRegistry", "Show a registry"}, showRegistry);
  registries.change({"changeRegistry", "Change a registry",
                     "For registry members. Only registry admins can change the visibility."},
                    registryChangeCodec(), changeRegistry);
  registries.remove({"deleteRegistry", "Remove a registry with its collections and links",
                     "For organization admins, the admin who created the registry, and admins of a "
                     "team that is an admin of the registry. The source versions stay."},
                    removeRegistry);
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
             {.params = ofRegistry(registry_path), .reply = namesCodec("ProtectedAliases")},
             listAliases);
  constexpr std::string_view kWho =
      "Registry admins only. Only they can set and remove a protected alias.";
  addNameRoutes(routes, "/api/v1/registries/{registry}/protected-aliases/{alias}",
                {"protectAlias", "Protect an alias", kWho},
                {"unprotectAlias", "Remove the protection of an alias", kWho}, aliasPath(),
                changeAlias);
}

}  // namespace

void addRegistryAdminRoutes(RegistryRoutes routes) {
  addRegistryItemRoutes(routes);
  addMemberRoutes(routes);
  addAliasRoutes(routes);
}

}  // namespace spindle::registry
