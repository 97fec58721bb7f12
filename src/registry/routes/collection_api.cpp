#include "http/router/etag.h"
#include "http/router/router.h"
#include "identity/api/user_view.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/collection_repository.h"
#include "registry/routes/artifact_view.h"

namespace spindle::registry {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Reply;
using schema::Extra;
using schema::string;

struct CollectionView {
  CollectionView() = default;
  explicit CollectionView(const Collection& collection)
      : id(collection.id),
        name(collection.name),
        type(collection.type),
        kind(textOf(collection.kind)),
        description(collection.description),
        tags(collection.tags),
        created_by(collection.created_by),
        created_at(collection.created_at),
        updated_at(collection.updated_at) {}

  std::string id;
  std::string name;
  std::string type;
  std::string kind;
  std::string description;
  std::vector<std::string> tags;
  std::string created_by;
  Timestamp created_at;
  Timestamp updated_at;
};

struct ListPath : PlacePath, http::PageQuery {};
struct TagPath : CollectionPath {
  std::string tag;
};

schema::Codec<CollectionView> collectionViewCodec() {
  return schema::Record<CollectionView>("ArtifactCollection")
      .required("id", &CollectionView::id, string(), "Assigned by the server: `col_…`.")
      .required("name", &CollectionView::name, string(), "Unique in its project.")
      .required("type", &CollectionView::type, string(), "Type of all its versions.")
      .required("kind", &CollectionView::kind, string(),
                "`SEQUENCE`: contains versions; `PORTFOLIO`: contains links.")
      .required("description", &CollectionView::description, string(), "")
      .required("tags", &CollectionView::tags, schema::list(string()), "")
      .required("created_by", &CollectionView::created_by, string(), "Username.")
      .required("created_at", &CollectionView::created_at, schema::dateTime(), "")
      .required("updated_at", &CollectionView::updated_at, schema::dateTime(), "")
      .codec();
}

schema::Codec<NewCollection> newCollectionCodec() {
  return schema::Record<NewCollection>("NewArtifactCollection", Extra::kForbid)
      .required("name", &NewCollection::name, collectionNameCodec(), "Unique in the project.")
      .required("type", &NewCollection::type, typeCodec(), "Type of its versions, such as `model`.")
      .optional("description", &NewCollection::description, string(), "")
      .optional("tags", &NewCollection::tags, schema::list(tagCodec(), {.max_items = kMaxTags}), "")
      .codec();
}

schema::Codec<CollectionChange> collectionChangeCodec() {
  return schema::Record<CollectionChange>("ArtifactCollectionChange", Extra::kForbid)
      .optional("name", &CollectionChange::name, schema::ifPresent(collectionNameCodec()),
                "A new name; paths change with it.")
      .optional("description", &CollectionChange::description, schema::ifPresent(string()), "")
      .codec();
}

http::Parameters<CollectionPath> collectionPath(RouteBase base) {
  http::Parameters<CollectionPath> parameters;
  return addCollectionPath(parameters, base);
}

http::Parameters<TagPath> tagPath(RouteBase base) {
  http::Parameters<TagPath> parameters;
  return addCollectionPath(parameters, base).path("tag", &TagPath::tag, tagCodec(), "The tag.");
}

Reply<CollectionView> collectionReply(const Collection& collection) {
  return Reply(CollectionView(collection)).with("ETag", http::etagOf(collection.revision));
}

Result<Reply<CollectionView>> createCollection(const RegistryServices& services,
                                               const Context& context,
                                               const PlacePath& path,
                                               const NewCollection& body) {
  const PlaceAccess entry = TRY(authorizeWriteOrCreate(services, context, path));
  const Collection made =
      TRY(services.collections.insert(entry.place, actorOf(context, entry), body));
  return collectionReply(made);
}

Result<Reply<http::PageReply<CollectionView>>> listCollections(const RegistryServices& services,
                                                               const Context& context,
                                                               const ListPath& path) {
  const PlaceAccess entry = TRY(authorizeRead(services, context, path));
  const identity::PageRequest request = TRY(identity::pageRequestOf(path));
  const identity::Page<Collection> page = TRY(services.collections.list(entry.place.id(), request));
  return Reply(identity::pageReply<CollectionView>(
      page, [](const Collection& collection) { return CollectionView(collection); }));
}

Result<Reply<CollectionView>> showCollection(const RegistryServices& services,
                                             const Context& context,
                                             const CollectionPath& path) {
  const PlaceAccess entry = TRY(authorizeRead(services, context, path));
  const Collection found = TRY(services.collections.find(entry.place.id(), path.collection));
  return collectionReply(found);
}

Result<Reply<CollectionView>> changeCollection(const RegistryServices& services,
                                               const Context& context,
                                               const CollectionPath& path,
                                               const CollectionChange& body) {
  const PlaceAccess entry = TRY(authorizeWrite(services, context, path));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  const Collection changed =
      TRY(services.collections.update(entry.place.id(), path.collection, body, version));
  return collectionReply(changed);
}

Result<Reply<Nothing>> removeCollection(const RegistryServices& services,
                                        const Context& context,
                                        const CollectionPath& path) {
  const PlaceAccess entry = TRY(authorizeWrite(services, context, path));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  TRY(services.collections.remove(entry.place.id(), path.collection, version));
  return Reply(Nothing{});
}

Result<Reply<Nothing>> changeTag(const RegistryServices& services,
                                 const Context& context,
                                 const TagPath& path,
                                 bool put) {
  const PlaceAccess entry = TRY(authorizeWrite(services, context, path));
  const Actor actor = actorOf(context, entry);
  TRY(put ? services.collections.putTag(entry.place, actor, path.collection, path.tag)
          : services.collections.removeTag(entry.place, actor, path.collection, path.tag));
  return Reply(Nothing{});
}

void addCollectionRoutesBelow(http::Router& router,
                              const RegistryServices& services,
                              const http::RoutePolicy& policy,
                              RouteBase base) {
  const std::string_view all = choose(base, "/api/v1/projects/{team}/{project}/collections",
                                      "/api/v1/registries/{registry}/collections");
  const std::string_view one =
      choose(base, "/api/v1/projects/{team}/{project}/collections/{collection}",
             "/api/v1/registries/{registry}/collections/{collection}");
  const std::string_view tag =
      choose(base, "/api/v1/projects/{team}/{project}/collections/{collection}/tags/{tag}",
             "/api/v1/registries/{registry}/collections/{collection}/tags/{tag}");
  http::Parameters<PlacePath> place_path;
  addPlacePath(place_path, base);
  router.add(Endpoint<PlacePath, NewCollection, CollectionView>{
      .method = Method::kPost,
      .path = all,
      .operation_id = choose(base, "createCollection", "createRegistryCollection"),
      .summary = "Add a collection",
      .description = choose(base, "Creating a version in a missing collection also creates it.",
                            "For links of one type. Linking into a missing one creates it."),
      .tag = kArtifactsTag,
      .success_status = 201,
      .facts = {.etag = true},
      .policy = policy,
      .params = place_path,
      .body = newCollectionCodec(),
      .reply = collectionViewCodec(),
      .handler =
          [services](const Context& context, const PlacePath& path, const NewCollection& body) {
            return createCollection(services, context, path, body);
          },
  });
  http::Parameters<ListPath> list_path = http::pageParameters<ListPath>();
  router.add(Endpoint<ListPath, Nothing, http::PageReply<CollectionView>>{
      .method = Method::kGet,
      .path = all,
      .operation_id = choose(base, "listCollections", "listRegistryCollections"),
      .summary = "List collections",
      .description = "Newest first.",
      .tag = kArtifactsTag,
      .policy = policy,
      .params = addPlacePath(list_path, base),
      .reply = http::pageCodec("ArtifactCollectionPage", collectionViewCodec()),
      .handler = [services](const Context& context, const ListPath& path,
                            Nothing) { return listCollections(services, context, path); },
  });
  router.add(Endpoint<CollectionPath, Nothing, CollectionView>{
      .method = Method::kGet,
      .path = one,
      .operation_id = choose(base, "getCollection", "getRegistryCollection"),
      .summary = "Show a collection",
      .tag = kArtifactsTag,
      .facts = {.etag = true},
      .policy = policy,
      .params = collectionPath(base),
      .reply = collectionViewCodec(),
      .handler = [services](const Context& context, const CollectionPath& path,
                            Nothing) { return showCollection(services, context, path); },
  });
  router.add(Endpoint<CollectionPath, CollectionChange, CollectionView>{
      .method = Method::kPatch,
      .path = one,
      .operation_id = choose(base, "changeCollection", "changeRegistryCollection"),
      .summary = "Rename or describe a collection",
      .tag = kArtifactsTag,
      .facts = {.etag = true, .if_match = true},
      .policy = policy,
      .params = collectionPath(base),
      .body = collectionChangeCodec(),
      .reply = collectionViewCodec(),
      .handler =
          [services](const Context& context, const CollectionPath& path,
                     const CollectionChange& body) {
            return changeCollection(services, context, path, body);
          },
  });
  router.add(Endpoint<CollectionPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = one,
      .operation_id = choose(base, "deleteCollection", "deleteRegistryCollection"),
      .summary = choose(base, "Remove a collection and all its versions",
                        "Remove a collection and its links"),
      .tag = kArtifactsTag,
      .success_status = 204,
      .facts = {.if_match = true},
      .policy = policy,
      .params = collectionPath(base),
      .handler = [services](const Context& context, const CollectionPath& path,
                            Nothing) { return removeCollection(services, context, path); },
  });
  router.add(Endpoint<TagPath, Nothing, Nothing>{
      .method = Method::kPut,
      .path = tag,
      .operation_id = choose(base, "putCollectionTag", "putRegistryCollectionTag"),
      .summary = "Tag a collection",
      .tag = kArtifactsTag,
      .success_status = 204,
      .policy = policy,
      .params = tagPath(base),
      .handler = [services](const Context& context, const TagPath& path,
                            Nothing) { return changeTag(services, context, path, true); },
  });
  router.add(Endpoint<TagPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = tag,
      .operation_id = choose(base, "deleteCollectionTag", "deleteRegistryCollectionTag"),
      .summary = "Remove a tag from a collection",
      .tag = kArtifactsTag,
      .success_status = 204,
      .policy = policy,
      .params = tagPath(base),
      .handler = [services](const Context& context, const TagPath& path,
                            Nothing) { return changeTag(services, context, path, false); },
  });
}

}  // namespace

void addCollectionRoutes(http::Router& router,
                         const RegistryServices& services,
                         const http::RoutePolicy& policy) {
  for (const RouteBase base : kRouteBases) addCollectionRoutesBelow(router, services, policy, base);
}

}  // namespace spindle::registry
