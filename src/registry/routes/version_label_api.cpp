#include "http/router/route_group.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/version_label_repository.h"
#include "registry/routes/artifact_view.h"

namespace spindle::registry {
namespace {

using http::Context;
using http::Method;

/// The two kinds of labels. Aliases and tags have the same routes.
enum class Kind { kAlias, kTag };

struct LabelPath : VersionPath {
  std::string label;
};
struct NamesReply {
  std::vector<std::string> items;
};

http::Parameters<LabelPath> labelPath(Kind kind, RouteBase base) {
  http::Parameters<LabelPath> parameters;
  addVersionPath(parameters, base);
  return kind == Kind::kAlias
             ? parameters.path("alias", &LabelPath::label, aliasCodec(), "The alias.")
             : parameters.path("tag", &LabelPath::label, tagCodec(), "The tag.");
}

Result<NamesReply> listLabels(const RegistryServices& services,
                              const Context& context,
                              const VersionPath& path,
                              Kind kind) {
  const FoundVersion found = TRY(readableVersion(services, context, path));
  return NamesReply{kind == Kind::kAlias ? found.version.aliases : found.version.tags};
}

Result<void> putLabel(const RegistryServices& services,
                      const Actor& actor,
                      const Place& place,
                      const LabelPath& path,
                      Kind kind) {
  const VersionName name = versionNameOf(path.version);
  if (kind == Kind::kAlias) {
    return services.labels.putAlias(place, actor, path.collection, name, path.label);
  }
  return services.labels.putTag(place, actor, path.collection, name, path.label);
}

Result<void> removeLabel(const RegistryServices& services,
                         const Actor& actor,
                         const Place& place,
                         const LabelPath& path,
                         Kind kind) {
  const VersionName name = versionNameOf(path.version);
  if (kind == Kind::kAlias) {
    return services.labels.removeAlias(place, actor, path.collection, name, path.label);
  }
  return services.labels.removeTag(place, actor, path.collection, name, path.label);
}

Result<void> changeLabel(const RegistryServices& services,
                         const Context& context,
                         const LabelPath& path,
                         Kind kind,
                         Method method) {
  const PlaceAccess entry =
      TRY(authorizeWrite(services, context, path, identity::Action::kLinkVersion));
  const Actor actor = actorOf(context, entry);
  TRY(method == Method::kPut ? putLabel(services, actor, entry.place, path, kind)
                             : removeLabel(services, actor, entry.place, path, kind));
  return {};
}

/// Paths, operation ids and summaries of the routes of one kind.
struct LabelRoutes {
  std::string_view all;
  std::string_view one;
  std::string_view list_id;
  std::string_view list;
  std::string_view put_id;
  std::string_view put;
  std::string_view delete_id;
  std::string_view remove;
};

constexpr LabelRoutes kAliasRoutes = {
    "/api/v1/projects/{team}/{project}/collections/{collection}/versions/{version}/aliases",
    "/api/v1/projects/{team}/{project}/collections/{collection}/versions/{version}/aliases/{alias}",
    "listArtifactAliases",
    "List the aliases of a version",
    "putArtifactAlias",
    "Point an alias at a version",
    "deleteArtifactAlias",
    "Remove an alias from a version"};
constexpr LabelRoutes kTagRoutes = {
    "/api/v1/projects/{team}/{project}/collections/{collection}/versions/{version}/tags",
    "/api/v1/projects/{team}/{project}/collections/{collection}/versions/{version}/tags/{tag}",
    "listArtifactTags",
    "List the tags of a version",
    "putArtifactTag",
    "Tag a version",
    "deleteArtifactTag",
    "Remove a tag from a version"};
constexpr LabelRoutes kLinkAliasRoutes = {
    "/api/v1/registries/{registry}/collections/{collection}/versions/{version}/aliases",
    "/api/v1/registries/{registry}/collections/{collection}/versions/{version}/aliases/{alias}",
    "listRegistryAliases",
    "List the aliases of a link",
    "putRegistryAlias",
    "Point an alias at a link",
    "deleteRegistryAlias",
    "Remove an alias from a link"};
constexpr LabelRoutes kLinkTagRoutes = {
    "/api/v1/registries/{registry}/collections/{collection}/versions/{version}/tags",
    "/api/v1/registries/{registry}/collections/{collection}/versions/{version}/tags/{tag}",
    "listRegistryTags",
    "List the tags of a linked version",
    "putRegistryTag",
    "Tag a linked version",
    "deleteRegistryTag",
    "Remove a tag from a linked version"};

const LabelRoutes& routesOf(Kind kind, RouteBase base) {
  if (kind == Kind::kAlias) return base == RouteBase::kRegistry ? kLinkAliasRoutes : kAliasRoutes;
  return base == RouteBase::kRegistry ? kLinkTagRoutes : kTagRoutes;
}

void addLabelRoutesBelow(const RegistryRoutes& routes, Kind kind, RouteBase base) {
  const LabelRoutes& names = routesOf(kind, base);
  http::Parameters<VersionPath> version_path;
  routes.get(
      names.all, {names.list_id, names.list},
      {.params = addVersionPath(version_path, base),
       .reply = schema::Record<NamesReply>("ArtifactNames")
                    .required("items", &NamesReply::items, schema::list(schema::string()), "")
                    .codec()},
      [kind](const RegistryServices& services, const Context& context, const VersionPath& path) {
        return listLabels(services, context, path, kind);
      });
  for (const Method method : {Method::kPut, Method::kDelete}) {
    const bool put = method == Method::kPut;
    routes.add(method, names.one,
               {put ? names.put_id : names.delete_id, put ? names.put : names.remove},
               {.params = labelPath(kind, base), .status = 204},
               [kind, method](const RegistryServices& services, const Context& context,
                              const LabelPath& path) {
                 return changeLabel(services, context, path, kind, method);
               });
  }
}

}  // namespace

void addVersionLabelRoutes(RegistryRoutes routes) {
  for (const RouteBase base : kRouteBases) {
    addLabelRoutesBelow(routes, Kind::kAlias, base);
    addLabelRoutesBelow(routes, Kind::kTag, base);
  }
}

}  // namespace spindle::registry
