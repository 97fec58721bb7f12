#include "registry/routes/artifact_view.h"

#include <algorithm>

#include "identity/access/access.h"
#include "json/escape.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/registry_access.h"
#include "registry/repositories/version_repository.h"
#include "schema/described.h"

namespace spindle::registry {
namespace {

using http::Context, schema::string;
using identity::Action, identity::ProjectAccess;

schema::Codec<std::string> named(std::string_view pattern) {
  return string({.min_length = 1, .max_length = kMaxName, .pattern = pattern});
}

Result<ProjectAccess> projectAccess(const RegistryServices& services,
                                    const std::string& caller,
                                    const PlacePath& path,
                                    PlaceUse use) {
  if (use == PlaceUse::kRead) return services.access.readProject(caller, path.team, path.project);
  if (use == PlaceUse::kWriteOrCreate) {
    return services.access.writeProject(caller, path.team, path.project);
  }
  return services.access.requireInProject(caller, path.team, path.project, Action::kWriteProject);
}

}  // namespace

std::string pathBelow(RouteBase base, std::string_view rest) {
  return std::string(
             choose(base, "/api/v1/projects/{team}/{project}", "/api/v1/registries/{registry}"))
      .append(rest);
}

schema::Codec<VersionState> stateCodec() {
  return textCodec({VersionState::kPending, VersionState::kCommitted,
                    VersionState::kPendingDeletion, VersionState::kDeleted,
                    VersionState::kGarbageCollected});
}

VersionView::VersionView(const Version& version)
    : Version(version), id_text(artifactIdText(id)), metadata_object{std::move(metadata)} {
  if (source) source_path = textOf(*source);
}

schema::Codec<VersionView> versionViewCodec() {
  schema::Record<VersionView> record("ArtifactVersion");
  return describeVersion(record).codec();
}

schema::Codec<std::string> collectionNameCodec() { return named(kCollectionNamePattern); }
schema::Codec<std::string> typeCodec() { return named(kTypePattern); }
schema::Codec<std::string> tagCodec() { return named(kTagPattern); }

schema::Codec<std::string> aliasCodec() {
  const auto checked = schema::checked<std::string>(
      named(kAliasPattern), [](const std::string& alias) -> std::optional<schema::RuleError> {
        if (!isVersionNumber(alias)) return std::nullopt;
        return schema::RuleError{"reserved_name", "Names like v3 are version numbers", {}};
      });
  return schema::described(checked, R"({"not":{"pattern":"^v[0-9]+$"}})");
}

Error invalidText(std::vector<LocStep> loc, const std::string& text, std::string_view problem) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = std::move(loc);
  violation.msg = "Value error, " + std::string(problem);
  violation.input = json::quoted(text);
  violation.ctx = R"({"error":{}})";
  return Error::invalid({std::move(violation)});
}

bool PlaceAccess::allows(Action in_project, Action in_registry) const {
  return identity::allows(place.registry_id.empty() ? in_project : in_registry, roles);
}

Actor callerOf(const Context& context) {
  return {context.caller().user_id, context.caller().username};
}

Actor actorOf(const Context& context, const PlaceAccess& entry) {
  return {context.caller().user_id, context.caller().username,
          !entry.place.registry_id.empty() &&
              identity::allows(Action::kManageProtectedAlias, entry.roles)};
}

Place projectPlace(const ProjectAccess& access, std::string_view team, std::string_view project) {
  Place place;
  place.team_id = access.team_id;
  place.project_id = access.project_id;
  place.entity = team;
  place.project = project;
  return place;
}

Result<PlaceAccess> authorize(const RegistryServices& services,
                              const Context& context,
                              const PlacePath& path,
                              PlaceUse use,
                              std::optional<Action> in_registry) {
  const std::string& caller = context.caller().user_id;
  if (!path.registry.empty()) {
    const Action usual =
        use == PlaceUse::kRead ? Action::kViewRegistry : Action::kManageRegistryCollection;
    const VisibleRegistry entry =
        TRY(services.registry_access.require(caller, path.registry, in_registry.value_or(usual)));
    return PlaceAccess{registryPlace(entry.registry.id, entry.registry.name), entry.roles};
  }
  const ProjectAccess access = TRY(projectAccess(services, caller, path, use));
  return PlaceAccess{projectPlace(access, path.team, path.project), access.roles};
}

Result<identity::PageRequest> numericPageRequest(const http::PageQuery& query) {
  std::string after = TRY(http::decodeCursor(query.cursor));
  const bool number =
      std::all_of(after.begin(), after.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number) return http::invalidCursor(query.cursor);
  return identity::PageRequest{static_cast<int>(query.limit), std::move(after)};
}

Result<FoundVersion> readableVersion(const RegistryServices& services,
                                     const Context& context,
                                     const VersionPath& path,
                                     Action in_registry) {
  const PlaceAccess entry = TRY(authorize(services, context, path, PlaceUse::kRead, in_registry));
  Version version =
      TRY(services.versions.find(entry.place.id(), path.collection, versionNameOf(path.version)));
  if (version.state == VersionState::kPending &&
      !entry.allows(Action::kWriteProject, Action::kLinkVersion)) {
    return Error::notFound("Version not found");
  }
  return FoundVersion{entry, std::move(version)};
}

}  // namespace spindle::registry
