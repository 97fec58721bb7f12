#include "http/router/resource.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/link_repository.h"
#include "registry/routes/artifact_resolver.h"
#include "registry/routes/artifact_view.h"

namespace spindle::registry {
namespace {

using http::Context, http::Reply;
using identity::Action, schema::string;

struct LinkBody {
  std::string source;
  std::vector<std::string> aliases;
};

struct MembershipView {
  explicit MembershipView(const Membership& membership)
      : id(membership.id),
        collection(membership.version.collection),
        version_index(membership.version.index.value_or(0)),
        aliases(membership.version.aliases),
        artifact_id(artifactIdText(membership.version.id)),
        source(membership.version.source ? textOf(*membership.version.source) : std::string()) {}
  MembershipView() = default;

  std::string id;
  std::string collection;
  std::int64_t version_index = 0;
  std::vector<std::string> aliases;
  std::string artifact_id;
  std::string source;
};

schema::Codec<MembershipView> membershipCodec() {
  return schema::Record<MembershipView>("ArtifactMembership")
      .required("id", &MembershipView::id, string(), "Assigned by the server: `mem_…`.")
      .required("collection", &MembershipView::collection, string(), "Name of the collection.")
      .required("version_index", &MembershipView::version_index, schema::integer(),
                "Version number in this collection, the 3 of `v3`.")
      .required("aliases", &MembershipView::aliases, schema::list(string()),
                "Aliases in this collection.")
      .required("artifact_id", &MembershipView::artifact_id, string(), "The version: `art_…`.")
      .required("source", &MembershipView::source, string(),
                "Source of the link: `entity/project/name:v3`.")
      .codec();
}

Result<Reply<MembershipView>> link(const RegistryServices& services,
                                   const Context& context,
                                   const CollectionPath& path,
                                   const LinkBody& body) {
  const PlaceAccess entry =
      TRY(authorize(services, context, path, PlaceUse::kWriteOrCreate, Action::kLinkVersion));
  // A link gives access to the files, so linking out of a registry needs the download permission.
  const ResolvedVersion source = TRY(resolveVersion(
      services, context, body.source, {static_cast<const PlacePath&>(path), {"body", "source"}},
      Action::kDownloadFromRegistry));
  if (source.version.state != VersionState::kCommitted) {
    return Error::conflict("This version has not been committed.").because("not_committed");
  }
  const Membership membership = TRY(services.links.link(
      entry.place, actorOf(context, entry), path.collection, source.version.id, body.aliases));
  Reply<MembershipView> reply =
      http::versionedReply(MembershipView(membership), membership.version.revision);
  if (!membership.created) reply.status = 200;
  return reply;
}

Result<void> unlink(const RegistryServices& services,
                    const Context& context,
                    const VersionPath& path) {
  const PlaceAccess entry =
      TRY(authorize(services, context, path, PlaceUse::kWrite, Action::kLinkVersion));
  const identity::IfVersion revision = TRY(http::expectedVersion(context.request.headers));
  return services.links.unlink(entry.place, actorOf(context, entry), path.collection,
                               versionNameOf(path.version), revision);
}

void addLinkRoutesBelow(const RegistryRoutes& routes, RouteBase base) {
  http::Parameters<CollectionPath> collection_path;
  routes.post(
      pathBelow(base, "/collections/{collection}/links"),
      {choose(base, "linkInProject", "linkInRegistry"), "Link a version into a collection",
       "Creates the collection if it is missing. A link to a link refers to the "
       "source version. Returns 200 if "
       "the version is linked already, and sets the aliases."},
      {.params = addCollectionPath(collection_path, base),
       .body =
           schema::Record<LinkBody>("NewArtifactLink", schema::Extra::kForbid)
               .required("source", &LinkBody::source, string({.min_length = 1, .max_length = 4096}),
                         "`entity/project/name:version`, a `svc-artifact` URI, or `art_…`.")
               .optional("aliases", &LinkBody::aliases,
                         schema::list(aliasCodec(), {.max_items = 100}),
                         "Aliases of the link, in addition to `latest`.")
               .codec(),
       .reply = membershipCodec(),
       .status = 201,
       .facts = {.statuses = {200}, .etag = true}},
      link);
  http::Parameters<VersionPath> version_path;
  routes.remove(pathBelow(base, "/collections/{collection}/links/{version}"),
                {choose(base, "unlinkInProject", "unlinkInRegistry"),
                 "Remove a link from a collection", "The source version stays."},
                {.params = addVersionPath(version_path, base), .facts = {.if_match = true}},
                unlink);
}

}  // namespace

void addLinkRoutes(RegistryRoutes routes) {
  for (const RouteBase base : kRouteBases) addLinkRoutesBelow(routes, base);
}

}  // namespace spindle::registry
