#include "registry/routes/artifact_resolver.h"

#include <optional>
#include <utility>

#include "registry/artifacts/artifact_path.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/version_repository.h"

namespace spindle::registry {
namespace {

using http::Context;

/// Replaces every kNotFound by the same error, so that a guessed id reveals nothing.
Error hidden(const Error& error) {
  return error.code() == ErrorCode::kNotFound ? Error::notFound("Artifact not found") : error;
}

Result<ResolvedVersion> findAt(const RegistryServices& services,
                               const Context& context,
                               const VersionPath& where,
                               identity::Action in_registry) {
  Result<FoundVersion> found = readableVersion(services, context, where, in_registry);
  if (!found) return hidden(found.error());
  return ResolvedVersion{std::move(found->entry.place), std::move(found->version), {}};
}

/// Finds a version by its id alone: in its source collection, or through the first link that the
/// caller may use.
Result<ResolvedVersion> findById(const RegistryServices& services,
                                 const Context& context,
                                 std::int64_t id,
                                 identity::Action in_registry) {
  const std::vector<VersionLocation> places = TRY(services.versions.locate(id));
  std::optional<Error> refused;
  for (const VersionLocation& each : places) {
    VersionPath where;
    where.team = each.place.entity;
    where.project = each.place.project;
    where.registry = each.place.registry;
    where.collection = each.collection;
    where.version = artifactIdText(id);
    Result<ResolvedVersion> found = findAt(services, context, where, in_registry);
    if (found) return found;
    if (found.error().code() != ErrorCode::kNotFound) refused = found.error();
  }
  return refused ? *std::move(refused) : Error::notFound("Artifact not found");
}

}  // namespace

Result<ResolvedVersion> resolveVersion(const RegistryServices& services,
                                       const Context& context,
                                       const std::string& text,
                                       const ArtifactPathContext& path_context,
                                       identity::Action in_registry) {
  if (const std::optional<std::int64_t> id = artifactIdOf(text)) {
    return findById(services, context, *id, in_registry);
  }
  const Result<ArtifactPath> path = parseArtifactPath(text);
  if (!path) return invalidText(path_context.loc, text, path.error().message());
  if (path->id) {
    Result<ResolvedVersion> found = findById(services, context, *path->id, in_registry);
    if (found) found->entry_path = path->entry;
    return found;
  }
  VersionPath where;
  where.collection = path->collection;
  where.version = path->version;
  if (const auto registry = registryIn(path->entity, path->project)) {
    where.registry = *registry;
    return findAt(services, context, where, in_registry);
  }
  where.team = path->entity.empty() ? path_context.where.team : path->entity;
  where.project = path->project.empty() ? path_context.where.project : path->project;
  if (where.team.empty() || where.project.empty()) {
    return invalidText(path_context.loc, text, "the path has no team and project");
  }
  return findAt(services, context, where, in_registry);
}

}  // namespace spindle::registry
