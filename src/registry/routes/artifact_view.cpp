#include "registry/routes/artifact_view.h"

#include "identity/access/access.h"
#include "json/escape.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/registry_access.h"
#include "registry/repositories/version_repository.h"
#include "schema/described.h"
#include "schema/scalar.h"

namespace spindle::registry {
namespace {

using http::Context, schema::string;
using identity::Action, identity::ProjectAccess;

schema::Codec<std::string> named(std::string_view pattern) {
  return string({.min_length = 1, .max_length = kMaxName, .pattern = pattern});
}

/// Returns the registry of a path if the caller may do `in_registry` in it, or the project that
/// `find_project` returns.
template <class FindProject>
Result<PlaceAccess> accessTo(const RegistryServices& services,
                             const Context& context,
                             const PlacePath& path,
                             Action in_registry,
                             FindProject find_project) {
  const std::string& caller = context.caller().user_id;
  if (!path.registry.empty()) {
    const VisibleRegistry entry =
        TRY(services.registry_access.require(caller, path.registry, in_registry));
    return PlaceAccess{registryPlace(entry.registry.id, entry.registry.name), entry.roles};
  }
  const ProjectAccess access = TRY(find_project(caller));
  PlaceAccess entry;
  entry.place.team_id = access.team_id;
  entry.place.project_id = access.project_id;
  entry.place.entity = path.team;
  entry.place.project = path.project;
  entry.roles = access.roles;
  return entry;
}

}  // namespace

std::string pathBelow(RouteBase base, std::string_view rest) {
  return std::string(
             choose(base, "/api/v1/projects/{team}/{project}", "/api/v1/registries/{registry}"))
      .append(rest);
}

schema::Codec<VersionState> stateCodec() {
  std::vector<std::pair<std::string, VersionState>> names;
  for (const VersionState state :
       {VersionState::kPending, VersionState::kCommitted, VersionState::kPendingDeletion,
        VersionState::kDeleted, VersionState::kGarbageCollected}) {
    names.emplace_back(std::string(textOf(state)), state);
  }
  return schema::enumeration<VersionState>(names);
}

VersionView::VersionView(const Version& version)
    : id(artifactIdText(version.id)),
      collection(version.collection),
      type(version.type),
      state(version.state),
      version_index(version.index),
      source(version.source ? std::optional(textOf(*version.source)) : std::nullopt),
      digest(version.digest),
      size(version.size_bytes),
      file_count(version.file_count),
      metadata{version.metadata},
      description(version.description),
      ttl_seconds(version.ttl_seconds),
      expires_at(version.expires_at),
      run_id(version.run_id),
      aliases(version.aliases),
      tags(version.tags),
      created_by(version.created_by),
      created_at(version.created_at),
      updated_at(version.updated_at),
      committed_at(version.committed_at) {}

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

Actor actorOf(const Context& context, const PlaceAccess& entry) {
  return {context.caller().user_id, context.caller().username,
          !entry.place.registry_id.empty() &&
              identity::allows(Action::kManageProtectedAlias, entry.roles)};
}

Result<PlaceAccess> authorizeWrite(const RegistryServices& services,
                                   const Context& context,
                                   const PlacePath& path,
                                   Action in_registry) {
  return accessTo(services, context, path, in_registry, [&](const std::string& caller) {
    return services.access.requireInProject(caller, path.team, path.project, Action::kWriteProject);
  });
}

Result<PlaceAccess> authorizeWriteOrCreate(const RegistryServices& services,
                                           const Context& context,
                                           const PlacePath& path,
                                           Action in_registry) {
  return accessTo(services, context, path, in_registry, [&](const std::string& caller) {
    return services.access.writeProject(caller, path.team, path.project);
  });
}

Result<PlaceAccess> authorizeRead(const RegistryServices& services,
                                  const Context& context,
                                  const PlacePath& path,
                                  Action in_registry) {
  return accessTo(services, context, path, in_registry, [&](const std::string& caller) {
    return services.access.readProject(caller, path.team, path.project);
  });
}

Result<FoundVersion> readableVersion(const RegistryServices& services,
                                     const Context& context,
                                     const VersionPath& path,
                                     Action in_registry) {
  const PlaceAccess entry = TRY(authorizeRead(services, context, path, in_registry));
  Version version =
      TRY(services.versions.find(entry.place.id(), path.collection, versionNameOf(path.version)));
  if (version.state == VersionState::kPending &&
      !entry.allows(Action::kWriteProject, Action::kLinkVersion)) {
    return Error::notFound("Version not found");
  }
  return FoundVersion{entry, std::move(version)};
}

}  // namespace spindle::registry
