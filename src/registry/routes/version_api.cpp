#include <algorithm>

#include "http/router/resource.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"
#include "identity/store/team_repository.h"
#include "registry/artifacts/json_members.h"
#include "registry/artifacts/manifest.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/collection_repository.h"
#include "registry/repositories/link_repository.h"
#include "registry/repositories/version_repository.h"
#include "registry/routes/artifact_view.h"
#include "registry/routes/upload_view.h"
#include "schema/described.h"

namespace spindle::registry {
namespace {

using http::Context, http::Reply;
using schema::Extra, schema::ifPresent, schema::nullable, schema::RuleError, schema::string;

constexpr std::size_t kMaxMetadataMembers = 100;
constexpr std::size_t kManifestBodyLimit = 32UL * 1024 * 1024;
constexpr std::int64_t kMaxTtlSeconds = 3'155'760'000;  // a century

struct EntryBody {
  std::string digest;
  std::int64_t size = 0;
  std::optional<std::string> ref;
  std::optional<json::Text> extra;
};

struct VersionBody {
  std::string type;
  std::optional<std::string> digest;
  schema::MapOf<EntryBody> manifest;
  json::Text metadata{"{}"};
  std::optional<std::string> description;
  std::vector<std::string> aliases;
  std::vector<std::string> tags;
  std::int64_t ttl_seconds = kInheritTtl;
  std::optional<std::string> run_id;
};

struct NewVersionReply {
  VersionView version;
  bool deduplicated = false;
  std::vector<UploadView> uploads;
};

struct ChangeBody {
  std::optional<json::Text> metadata;
  std::optional<json::Text> metadata_merge;
  std::optional<std::optional<std::string>> description;
  std::optional<std::optional<std::int64_t>> ttl_seconds;
};

struct PathsBody {
  std::vector<std::string> paths;
};
struct UploadsReply {
  std::vector<UploadView> uploads;
};

struct VersionsPath : CollectionPath, http::PageQuery {
  std::optional<std::string> tag;
  std::optional<std::string> alias;
};
struct DeletePath : VersionPath {
  bool delete_aliases = false;
};

schema::Codec<json::Text> metadataCodec() {
  const auto checked = schema::checked<json::Text>(
      schema::jsonObject(), [](const json::Text& object) -> std::optional<RuleError> {
        if (memberCount(object.json) <= kMaxMetadataMembers) return std::nullopt;
        return schema::valueError("metadata has at most 100 members");
      });
  return schema::described(checked, R"({"maxProperties":100})");
}

schema::Codec<std::int64_t> ttlCodec() {
  const auto checked = schema::checked<std::int64_t>(
      schema::integer({.ge = kNoTtl, .le = kMaxTtlSeconds}),
      [](const std::int64_t& seconds) -> std::optional<RuleError> {
        if (seconds != 0) return std::nullopt;
        return schema::valueError("0 is not allowed; -1 inherits from the team, -2 is unlimited");
      });
  return schema::described(checked, R"({"not":{"const":0}})");
}

schema::Codec<EntryBody> entryCodec() {
  return schema::described(
      schema::Record<EntryBody>("NewArtifactEntry", Extra::kForbid)
          .required("digest", &EntryBody::digest, string({.min_length = 1, .max_length = 1024}),
                    "Base64 of the MD5 of the bytes; for a reference, its ETag or URI.")
          .required("size", &EntryBody::size, schema::integer({.ge = 0}), "Bytes.")
          .optional("ref", &EntryBody::ref, nullable(string({.min_length = 1, .max_length = 4096})),
                    "URI of a file that is not uploaded.")
          .optional("extra", &EntryBody::extra, nullable(schema::jsonObject()), "Stored unchanged.")
          .check([](const EntryBody& entry) -> std::optional<RuleError> {
            if (entry.ref || isMd5Text(entry.digest)) return std::nullopt;
            return schema::valueError("the digest of a file is the base64 of its MD5");
          })
          .codec(),
      R"({"anyOf":[{"properties":{"ref":{"type":"string"}},"required":["ref"]},)"
      R"({"properties":{"digest":{"pattern":"^[A-Za-z0-9+/]{21}[AQgw]==$"}}}]})");
}

schema::Codec<VersionBody> versionBodyCodec() {
  const schema::Codec<std::string> checked_path = schema::checked<std::string>(
      string({.max_length = 4096}), [](const std::string& text) -> std::optional<RuleError> {
        const std::string_view problem = entryPathProblem(text);
        if (problem.empty()) return std::nullopt;
        return schema::valueError(problem);
      });
  const schema::Codec<std::string> path =
      schema::described(checked_path, R"({"pattern":"^[^/\\\\]+(/[^/\\\\]+)*$",)"
                                      R"("not":{"pattern":"(^|/)\\.\\.?(/|$)|^[A-Za-z]:"}})");
  return schema::Record<VersionBody>("NewArtifactVersion", Extra::kForbid)
      .required("type", &VersionBody::type, typeCodec(), "Type of the collection.")
      .optional("digest", &VersionBody::digest, nullable(string()),
                "Expected digest of the manifest; the server checks it.")
      .required("manifest", &VersionBody::manifest, schema::keyed(path, schema::map(entryCodec())),
                "Entries by path.")
      .optional("metadata", &VersionBody::metadata, metadataCodec(), "At most 100 members.")
      .optional("description", &VersionBody::description, nullable(string()))
      .optional("aliases", &VersionBody::aliases, schema::list(aliasCodec(), {.max_items = 100}),
                "Aliases to set at the commit, in addition to `latest`.")
      .optional("tags", &VersionBody::tags, schema::list(tagCodec(), {.max_items = kMaxTags}))
      .optional("ttl_seconds", &VersionBody::ttl_seconds, ttlCodec(),
                "Time to live in seconds; -1: the default of the team; -2: unlimited.")
      .optional("run_id", &VersionBody::run_id, nullable(string({.max_length = kMaxName})),
                "Run that creates the version.")
      .codec();
}

schema::Codec<ChangeBody> versionChangeCodec() {
  return schema::described(
      schema::Record<ChangeBody>("ArtifactVersionChange", Extra::kForbid)
          .optional("metadata", &ChangeBody::metadata, ifPresent(metadataCodec()),
                    "Replaces the old metadata.")
          .optional("metadata_merge", &ChangeBody::metadata_merge, ifPresent(metadataCodec()),
                    "Members to add or replace.")
          .optional("description", &ChangeBody::description, ifPresent(nullable(string())))
          .optional("ttl_seconds", &ChangeBody::ttl_seconds, ifPresent(nullable(ttlCodec())),
                    "Null: unchanged.")
          .check([](const ChangeBody& body) -> std::optional<RuleError> {
            if (!body.metadata || !body.metadata_merge) return std::nullopt;
            return schema::valueError("metadata and metadata_merge exclude each other");
          })
          .codec(),
      R"({"not":{"required":["metadata","metadata_merge"]}})");
}

template <class P>
http::Parameters<P> versionPath(RouteBase base = RouteBase::kProject) {
  http::Parameters<P> parameters;
  return addVersionPath(parameters, base);
}

/// Removes duplicates and keeps the order.
std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (const std::string& name : names) {
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  }
  return once;
}

/// Checks that the caller may set a time to live. @return kPermissionDenied if the team allows this
/// only to admins.
Result<void> requireTtlPermission(const RegistryServices& services,
                                  const Context& context,
                                  const PlacePath& path) {
  if (!path.registry.empty()) return {};  // the repository refuses a time to live on a link
  const identity::Team team = TRY(services.teams.findByName(path.team));
  if (team.ttl_permission == identity::TtlPermission::kAdminsAndMembers) return {};
  TRY(services.access.requireInProject(context.caller().user_id, path.team, path.project,
                                       identity::Action::kManageProject));
  return {};
}

NewVersion newVersionOf(const CollectionPath& path, VersionBody body) {
  NewVersion fresh;
  fresh.collection = path.collection;
  fresh.type = std::move(body.type);
  fresh.manifest.reserve(body.manifest.size());
  for (auto& [entry_path, entry] : body.manifest) {
    ManifestEntry& added = fresh.manifest.emplace_back();
    added.path = entry_path;
    added.digest = std::move(entry.digest);
    added.size = entry.size;
    added.ref = std::move(entry.ref);
    if (entry.extra) added.extra = std::move(entry.extra->json);
  }
  fresh.metadata = std::move(body.metadata.json);
  fresh.description = std::move(body.description);
  fresh.aliases = distinct(body.aliases);
  fresh.tags = distinct(body.tags);
  fresh.ttl_seconds = body.ttl_seconds;
  fresh.run_id = std::move(body.run_id);
  return fresh;
}

Result<Reply<NewVersionReply>> createVersion(const RegistryServices& services,
                                             const Context& context,
                                             const CollectionPath& path,
                                             VersionBody body) {
  const PlaceAccess entry = TRY(authorize(services, context, path, PlaceUse::kWriteOrCreate));
  if (body.ttl_seconds != kInheritTtl) {
    TRY(requireTtlPermission(services, context, path));
    if (hasNoTtl(body.type)) {
      return Error::invalidArgument("artifacts of this type cannot have a time to live");
    }
  }
  const std::optional<std::string> expected = body.digest;
  const NewVersion fresh = newVersionOf(path, std::move(body));
  if (expected && *expected != manifestDigest(fresh.manifest)) {
    return invalidText({"body", "digest"}, *expected, "this is not the digest of the manifest");
  }
  const VersionRepository::BeginResult begun =
      TRY(services.versions.begin(entry.place, actorOf(context, entry), fresh));
  Reply<NewVersionReply> reply = http::versionedReply(
      NewVersionReply{VersionView(begun.version), begun.deduplicated,
                      uploadsOf(services, context, entry.place, begun.version.id, begun.missing)},
      begun.version.revision);
  if (begun.deduplicated) reply.status = 200;
  return reply;
}

/// A pending version, and the place in which the caller may write to it.
struct PendingVersion {
  PlaceAccess entry;
  std::int64_t id = 0;
};

/// Uploads and commits name a version by its id only.
Result<PendingVersion> pendingVersion(const RegistryServices& services,
                                      const Context& context,
                                      const VersionPath& path) {
  PlaceAccess entry =
      TRY(authorize(services, context, path, PlaceUse::kWrite, identity::Action::kLinkVersion));
  const std::optional<std::int64_t> id = artifactIdOf(path.version);
  if (!id) return Error::notFound("Version not found");
  return PendingVersion{std::move(entry), *id};
}

Result<UploadsReply> uploads(const RegistryServices& services,
                             const Context& context,
                             const VersionPath& path,
                             const PathsBody& body) {
  const PendingVersion pending = TRY(pendingVersion(services, context, path));
  const Place& place = pending.entry.place;
  const std::vector<ManifestEntry> missing =
      TRY(services.versions.missing(place, path.collection, pending.id, body.paths));
  return UploadsReply{uploadsOf(services, context, place, pending.id, missing)};
}

Result<Reply<VersionView>> commit(const RegistryServices& services,
                                  const Context& context,
                                  const VersionPath& path) {
  const PendingVersion pending = TRY(pendingVersion(services, context, path));
  const Version version = TRY(services.versions.commit(
      pending.entry.place, actorOf(context, pending.entry), path.collection, pending.id));
  return http::versionedReply(VersionView(version), version.revision);
}

Result<identity::Page<Version>> listVersions(const RegistryServices& services,
                                             const Context& context,
                                             const VersionsPath& path) {
  const PlaceAccess entry = TRY(authorize(services, context, path, PlaceUse::kRead));
  // The cursor is a version number, not an id as in other lists.
  const identity::PageRequest request = TRY(numericPageRequest(path));
  return services.versions.list(entry.place.id(), path.collection, {path.tag, path.alias}, request);
}

Result<Version> showVersion(const RegistryServices& services,
                            const Context& context,
                            const VersionPath& path) {
  FoundVersion found = TRY(readableVersion(services, context, path));
  return std::move(found.version);
}

Result<Version> changeVersion(const RegistryServices& services,
                              const Context& context,
                              const VersionPath& path,
                              const ChangeBody& body) {
  const PlaceAccess entry =
      TRY(authorize(services, context, path, PlaceUse::kWrite, identity::Action::kLinkVersion));
  VersionChange wanted;
  if (body.metadata) wanted.metadata = body.metadata->json;
  if (body.metadata_merge) wanted.metadata_merge = body.metadata_merge->json;
  wanted.description = body.description;
  if (body.ttl_seconds) wanted.ttl_seconds = *body.ttl_seconds;
  if (wanted.ttl_seconds) {
    TRY(requireTtlPermission(services, context, path));
  }
  const identity::IfVersion revision = TRY(http::expectedVersion(context.request.headers));
  return services.versions.update(entry.place.id(), path.collection, versionNameOf(path.version),
                                  wanted, revision);
}

Result<void> removeVersion(const RegistryServices& services,
                           const Context& context,
                           const DeletePath& path) {
  const PlaceAccess entry =
      TRY(authorize(services, context, path, PlaceUse::kWrite, identity::Action::kLinkVersion));
  const identity::IfVersion revision = TRY(http::expectedVersion(context.request.headers));
  const Collection collection = TRY(services.collections.find(entry.place.id(), path.collection));
  const VersionName name = versionNameOf(path.version);
  if (collection.kind == CollectionKind::kLinked) {
    return services.links.unlink(entry.place, actorOf(context, entry), path.collection, name,
                                 revision);
  }
  return services.versions.remove(entry.place.id(), path.collection, name, path.delete_aliases,
                                  revision);
}

/// Adds the routes that create versions. They exist for projects only.
void addUploadRoutes(RegistryRoutes routes) {
  http::RoutePolicy manifest_policy = routes.policy();
  manifest_policy.body_limit = std::max(routes.policy().body_limit, kManifestBodyLimit);
  http::Parameters<CollectionPath> collection_path;
  const RegistryRoutes manifest_routes = routes.with(manifest_policy);
  manifest_routes.post(
      "/api/v1/projects/{team}/{project}/collections/{collection}/versions",
      {"createVersion", "Create a pending version",
       "Upload the files in `uploads`, then commit. If the collection has a version "
       "with the same content already, the response is 200 with that version."},
      {.params = addCollectionPath(collection_path, RouteBase::kProject),
       .body = versionBodyCodec(),
       .reply = schema::Record<NewVersionReply>("ArtifactVersionBegun")
                    .required("version", &NewVersionReply::version, versionViewCodec())
                    .required("deduplicated", &NewVersionReply::deduplicated, schema::boolean(),
                              "The collection has this content already.")
                    .required("uploads", &NewVersionReply::uploads, schema::list(uploadViewCodec()),
                              "Files to upload.")
                    .codec(),
       .status = 201,
       .facts = {.statuses = {200}, .etag = true}},
      createVersion);
  manifest_routes.post(
      "/api/v1/projects/{team}/{project}/collections/{collection}/versions/{version}/uploads",
      {"renewUploads", "Get new upload URLs", "For a pending version. Uploaded files get no URL."},
      {.params = versionPath<VersionPath>(),
       .body = schema::Record<PathsBody>("ArtifactUploadPaths", Extra::kForbid)
                   .required("paths", &PathsBody::paths, schema::list(string()))
                   .codec(),
       .reply = schema::Record<UploadsReply>("ArtifactUploads")
                    .required("uploads", &UploadsReply::uploads, schema::list(uploadViewCodec()))
                    .codec()},
      uploads);
  routes.post(
      "/api/v1/projects/{team}/{project}/collections/{collection}/versions/{version}/commit",
      {"commitVersion", "Commit a version",
       "Sets the number, the aliases and `latest`. A repeated request has no effect."},
      {.params = versionPath<VersionPath>(), .reply = versionViewCodec(), .facts = {.etag = true}},
      commit);
}

void addVersionRoutesBelow(const RegistryRoutes& routes, RouteBase base) {
  const std::string all = pathBelow(base, "/collections/{collection}/versions");
  const http::Resource versions(routes, {all, all + "/{version}"}, versionPath<VersionPath>(base),
                                versionViewCodec(), &Version::revision);
  http::Parameters<VersionsPath> versions_path = http::pageParameters<VersionsPath>();
  addCollectionPath(versions_path, base)
      .query("tag", &VersionsPath::tag, nullable(string()), "Only versions with this tag.")
      .query("alias", &VersionsPath::alias, nullable(string()),
             "Only the version with this alias.");
  versions.list({choose(base, "listVersions", "listRegistryVersions"), "List versions",
                 "Highest number first."},
                "ArtifactVersionPage", versions_path, listVersions);
  versions.show({choose(base, "getVersion", "getRegistryVersion"), "Show a version"}, showVersion);
  versions.change(
      {choose(base, "changeVersion", "changeRegistryVersion"), "Change the metadata of a version",
       choose(base, "Its files never change.", "Changes the source version.")},
      versionChangeCodec(), changeVersion);
  versions.remove({choose(base, "deleteVersion", "deleteRegistryVersion"),
                   choose(base, "Remove a version", "Remove a link"),
                   choose(base, "Its number is not reused. For a link, removes only the link.",
                          "The source version stays.")},
                  versionPath<DeletePath>(base).query("delete_aliases", &DeletePath::delete_aliases,
                                                      schema::boolean(),
                                                      "Remove it with its aliases, if it has any."),
                  removeVersion);
}

}  // namespace

void addVersionRoutes(RegistryRoutes routes) {
  addUploadRoutes(routes);
  for (const RouteBase base : kRouteBases) addVersionRoutesBelow(routes, base);
}

}  // namespace spindle::registry
