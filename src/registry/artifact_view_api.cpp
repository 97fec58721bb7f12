#include "registry/artifact_view_api.h"

#include "http/etag.h"
#include "identity/access.h"
#include "registry/names.h"
#include "registry/version_repository.h"
#include "schema/scalar.h"

namespace spindle::registry {
namespace {

using http::Context;
using identity::Action;
using identity::ProjectAccess;
using schema::string;

schema::Codec<std::string> named(std::string_view pattern) {
  return string({.min_length = 1, .max_length = kMaxName, .pattern = pattern});
}

Place placeAt(const ProjectAccess& access, const ProjectPath& path) {
  return {access.team_id, access.project_id, path.team, path.project};
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
  return schema::checked<std::string>(
      named(kAliasPattern), [](const std::string& alias) -> std::optional<schema::Complaint> {
        if (!isVersionNumber(alias)) return std::nullopt;
        return schema::Complaint{"reserved_name", "This names a version by its number", {}};
      });
}

Actor actorOf(const Context& context) {
  return {context.caller().user_id, context.caller().username};
}

Result<Place> writablePlace(const RegistryServices& services,
                            const Context& context,
                            const ProjectPath& path) {
  const Result<ProjectAccess> access = services.access.requireInProject(
      context.caller().user_id, path.team, path.project, Action::kWriteProject);
  if (!access) return access.error();
  return placeAt(*access, path);
}

Result<Place> ensuredPlace(const RegistryServices& services,
                           const Context& context,
                           const ProjectPath& path) {
  const Result<ProjectAccess> access =
      services.access.writeProject(context.caller().user_id, path.team, path.project);
  if (!access) return access.error();
  return placeAt(*access, path);
}

Result<ReadablePlace> readablePlace(const RegistryServices& services,
                                    const Context& context,
                                    const ProjectPath& path) {
  const Result<ProjectAccess> access =
      services.access.readProject(context.caller().user_id, path.team, path.project);
  if (!access) return access.error();
  return ReadablePlace{placeAt(*access, path),
                       identity::allows(Action::kWriteProject, access->roles)};
}

Result<FoundVersion> readableVersion(const RegistryServices& services,
                                     const Context& context,
                                     const VersionPath& path) {
  const Result<ReadablePlace> readable = readablePlace(services, context, path);
  if (!readable) return readable.error();
  Result<Version> version = services.versions.find(readable->place.project_id, path.collection,
                                                   versionNameOf(path.version));
  if (!version) return std::move(version).error();
  if (version->state == VersionState::kPending && !readable->writable) {
    return Error::notFound("Version not found");
  }
  return FoundVersion{readable->place, *std::move(version)};
}

}  // namespace spindle::registry
