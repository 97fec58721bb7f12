#include "registry/artifacts/names.h"
#include "registry/repositories/version_label_repository.h"
#include "registry/routes/artifact_view.h"
#include "registry/routes/name_routes.h"

namespace spindle::registry {
namespace {

using http::Context;

/// The two kinds of labels. Aliases and tags have the same routes.
enum class Kind { kAlias, kTag };

struct LabelPath : VersionPath {
  std::string label;
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

Result<void> changeLabel(const RegistryServices& services,
                         const Context& context,
                         const LabelPath& path,
                         Kind kind,
                         bool put) {
  const PlaceAccess entry =
      TRY(authorize(services, context, path, PlaceUse::kWrite, identity::Action::kLinkVersion));
  const auto change =
      kind == Kind::kAlias
          ? (put ? &VersionLabelRepository::putAlias : &VersionLabelRepository::removeAlias)
          : (put ? &VersionLabelRepository::putTag : &VersionLabelRepository::removeTag);
  return (services.labels.*change)(
      {entry.place, actorOf(context, entry), path.collection, versionNameOf(path.version)},
      path.label);
}

/// Operation ids and summaries of the routes of one kind.
struct LabelRoutes {
  std::string_view list_id;
  std::string_view list;
  std::string_view put_id;
  std::string_view put;
  std::string_view delete_id;
  std::string_view remove;
};

constexpr LabelRoutes kAliasRoutes = {"listArtifactAliases", "List the aliases of a version",
                                      "putArtifactAlias",    "Point an alias at a version",
                                      "deleteArtifactAlias", "Remove an alias from a version"};
constexpr LabelRoutes kTagRoutes = {"listArtifactTags",  "List the tags of a version",
                                    "putArtifactTag",    "Tag a version",
                                    "deleteArtifactTag", "Remove a tag from a version"};
constexpr LabelRoutes kLinkAliasRoutes = {"listRegistryAliases", "List the aliases of a link",
                                          "putRegistryAlias",    "Point an alias at a link",
                                          "deleteRegistryAlias", "Remove an alias from a link"};
constexpr LabelRoutes kLinkTagRoutes = {"listRegistryTags",  "List the tags of a linked version",
                                        "putRegistryTag",    "Tag a linked version",
                                        "deleteRegistryTag", "Remove a tag from a linked version"};

const LabelRoutes& routesOf(Kind kind, RouteBase base) {
  if (kind == Kind::kAlias) return base == RouteBase::kRegistry ? kLinkAliasRoutes : kAliasRoutes;
  return base == RouteBase::kRegistry ? kLinkTagRoutes : kTagRoutes;
}

void addLabelRoutesBelow(const RegistryRoutes& routes, Kind kind, RouteBase base) {
  const LabelRoutes& names = routesOf(kind, base);
  const std::string all = pathBelow(base, "/collections/{collection}/versions/{version}") +
                          (kind == Kind::kAlias ? "/aliases" : "/tags");
  const std::string one = all + (kind == Kind::kAlias ? "/{alias}" : "/{tag}");
  http::Parameters<VersionPath> version_path;
  routes.get(all, {names.list_id, names.list},
             {.params = addVersionPath(version_path, base), .reply = namesCodec("ArtifactNames")},
             [kind](const RegistryServices& services, const Context& context,
                    const VersionPath& path) { return listLabels(services, context, path, kind); });
  addNameRoutes(
      routes, one, {names.put_id, names.put}, {names.delete_id, names.remove},
      labelPath(kind, base),
      [kind](const RegistryServices& services, const Context& context, const LabelPath& path,
             bool put) { return changeLabel(services, context, path, kind, put); });
}

}  // namespace

void addVersionLabelRoutes(RegistryRoutes routes) {
  for (const RouteBase base : kRouteBases) {
    addLabelRoutesBelow(routes, Kind::kAlias, base);
    addLabelRoutesBelow(routes, Kind::kTag, base);
  }
}

}  // namespace spindle::registry
