#include "registry/routes/artifact_view.h"

#include "http/router/etag.h"
#include "identity/access/access.h"
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

Result<PlaceAccess> entryOf(const Result<ProjectAccess>& access, const PlacePath& path) {
  if (!access) return access.error();
  PlaceAccess entry;
  entry.place.team_id = access->team_id;
  entry.place.project_id = access->project_id;
  entry.place.entity = path.team;
  entry.place.project = path.project;
  entry.roles = access->roles;
  return entry;
}

Result<PlaceAccess> registryEntry(const RegistryServices& services,
                                  const Context& context,
                                  const PlacePath& path,
                                  Action action) {
  const VisibleRegistry entry =
      TRY(services.registry_access.require(context.caller().user_id, path.registry, action));
  return PlaceAccess{registryPlace(entry.registry.id, entry.registry.name), entry.roles};
}

}  // namespace

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

http::Reply<VersionView> replyOf(const Version& version) {
  return http::Reply(VersionView(version)).with("ETag", http::etagOf(version.revision));
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
  if (!path.registry.empty()) return registryEntry(services, context, path, in_registry);
  return entryOf(services.access.requireInProject(context.caller().user_id, path.team, path.project,
                                                  Action::kWriteProject),
                 path);
}

Result<PlaceAccess> authorizeWriteOrCreate(const RegistryServices& services,
                                           const Context& context,
                                           const PlacePath& path,
                                           Action in_registry) {
  if (!path.registry.empty()) return registryEntry(services, context, path, in_registry);
  return entryOf(services.access.writeProject(context.caller().user_id, path.team, path.project),
                 path);
}

Result<PlaceAccess> authorizeRead(const RegistryServices& services,
                                  const Context& context,
                                  const PlacePath& path,
                                  Action in_registry) {
  if (!path.registry.empty()) return registryEntry(services, context, path, in_registry);
  return entryOf(services.access.readProject(context.caller().user_id, path.team, path.project),
                 path);
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
