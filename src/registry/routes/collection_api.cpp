#include "http/router/etag.h"
#include "http/router/route_group.h"
#include "identity/api/user_view.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/collection_repository.h"
#include "registry/routes/artifact_view.h"

namespace spindle::registry {
namespace {

using http::Context, http::Reply;
using schema::Extra, schema::string;

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

Result<http::PageReply<CollectionView>> listCollections(const RegistryServices& services,
                                                        const Context& context,
                                                        const ListPath& path) {
  const PlaceAccess entry = TRY(authorizeRead(services, context, path));
  const identity::PageRequest request = TRY(identity::pageRequestOf(path));
  const identity::Page<Collection> page = TRY(services.collections.list(entry.place.id(), request));
  return identity::pageReply<CollectionView>(
      page, [](const Collection& collection) { return CollectionView(collection); });
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

Result<void> removeCollection(const RegistryServices& services,
                              const Context& context,
                              const CollectionPath& path) {
  const PlaceAccess entry = TRY(authorizeWrite(services, context, path));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  TRY(services.collections.remove(entry.place.id(), path.collection, version));
  return {};
}

Result<void> changeTag(const RegistryServices& services,
                       const Context& context,
                       const TagPath& path,
                       bool put) {
  const PlaceAccess entry = TRY(authorizeWrite(services, context, path));
  const Actor actor = actorOf(context, entry);
  TRY(put ? services.collections.putTag(entry.place, actor, path.collection, path.tag)
          : services.collections.removeTag(entry.place, actor, path.collection, path.tag));
  return {};
}

void addCollectionRoutesBelow(const RegistryRoutes& routes, RouteBase base) {
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
  routes.post(all,
              {choose(base, "createCollection", "createRegistryCollection"), "Add a collection",
               choose(base, "Creating a version in a missing collection also creates it.",
                      "For links of one type. Linking into a missing one creates it.")},
              {.params = place_path,
               .body = newCollectionCodec(),
               .reply = collectionViewCodec(),
               .status = 201,
               .facts = {.etag = true}},
              createCollection);
  http::Parameters<ListPath> list_path = http::pageParameters<ListPath>();
  routes.get(all,
             {choose(base, "listCollections", "listRegistryCollections"), "List collections",
              "Newest first."},
             {.params = addPlacePath(list_path, base),
              .reply = http::pageCodec("ArtifactCollectionPage", collectionViewCodec())},
             listCollections);
  routes.get(
      one, {choose(base, "getCollection", "getRegistryCollection"), "Show a collection"},
      {.params = collectionPath(base), .reply = collectionViewCodec(), .facts = {.etag = true}},
      showCollection);
  routes.patch(one,
               {choose(base, "changeCollection", "changeRegistryCollection"),
                "Rename or describe a collection"},
               {.params = collectionPath(base),
                .body = collectionChangeCodec(),
                .reply = collectionViewCodec(),
                .facts = {.etag = true, .if_match = true}},
               changeCollection);
  routes.remove(one,
                {choose(base, "deleteCollection", "deleteRegistryCollection"),
                 choose(base, "Remove a collection and all its versions",
                        "Remove a collection and its links")},
                {.params = collectionPath(base), .facts = {.if_match = true}}, removeCollection);
  routes.put(tag,
             {choose(base, "putCollectionTag", "putRegistryCollectionTag"), "Tag a collection"},
             {.params = tagPath(base), .status = 204},
             [](const RegistryServices& services, const Context& context, const TagPath& path) {
               return changeTag(services, context, path, true);
             });
  routes.remove(tag,
                {choose(base, "deleteCollectionTag", "deleteRegistryCollectionTag"),
                 "Remove a tag from a collection"},
                {.params = tagPath(base), .status = 204},
                [](const RegistryServices& services, const Context& context, const TagPath& path) {
                  return changeTag(services, context, path, false);
                });
}

}  // namespace

void addCollectionRoutes(RegistryRoutes routes) {
  for (const RouteBase base : kRouteBases) addCollectionRoutesBelow(routes, base);
}

}  // namespace spindle::registry
