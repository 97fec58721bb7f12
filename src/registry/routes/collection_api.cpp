#include "http/router/resource.h"
#include "identity/api/user_view.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/collection_repository.h"
#include "registry/routes/artifact_view.h"
#include "registry/routes/name_routes.h"
#include "schema/described.h"

namespace spindle::registry {
namespace {

using http::Context;
using schema::Extra, schema::string;

struct ListPath : PlacePath, http::PageQuery {};
struct TagPath : CollectionPath {
  std::string tag;
};

/// The schema of a kind is that of a string. That codec is only described: it does not read or
/// write.
schema::Codec<CollectionKind> collectionKindCodec() {
  return schema::describedAs(textCodec({CollectionKind::kSource, CollectionKind::kLinked}),
                             schema::Codec<CollectionKind>(string().type()));
}

schema::Codec<Collection> collectionCodec() {
  schema::Record<Collection> record("ArtifactCollection");
  record.required("id", &Collection::id, string(), "Assigned by the server: `col_…`.")
      .required("name", &Collection::name, string(), "Unique in its project.")
      .required("type", &Collection::type, string(), "Type of all its versions.")
      .required("kind", &Collection::kind, collectionKindCodec(),
                "`SEQUENCE`: contains versions; `PORTFOLIO`: contains links.")
      .required("description", &Collection::description, string())
      .required("tags", &Collection::tags, schema::list(string()));
  return describeCreation(record).codec();
}

schema::Codec<NewCollection> newCollectionCodec() {
  return schema::Record<NewCollection>("NewArtifactCollection", Extra::kForbid)
      .required("name", &NewCollection::name, collectionNameCodec(), "Unique in the project.")
      .required("type", &NewCollection::type, typeCodec(), "Type of its versions, such as `model`.")
      .optional("description", &NewCollection::description, string())
      .optional("tags", &NewCollection::tags, schema::list(tagCodec(), {.max_items = kMaxTags}))
      .codec();
}

schema::Codec<CollectionChange> collectionChangeCodec() {
  return schema::Record<CollectionChange>("ArtifactCollectionChange", Extra::kForbid)
      .optional("name", &CollectionChange::name, schema::ifPresent(collectionNameCodec()),
                "A new name; paths change with it.")
      .optional("description", &CollectionChange::description, schema::ifPresent(string()))
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

Result<Collection> createCollection(const RegistryServices& services,
                                    const Context& context,
                                    const PlacePath& path,
                                    const NewCollection& body) {
  const PlaceAccess entry = TRY(authorize(services, context, path, PlaceUse::kWriteOrCreate));
  return services.collections.insert(entry.place, actorOf(context, entry), body);
}

Result<identity::Page<Collection>> listCollections(const RegistryServices& services,
                                                   const Context& context,
                                                   const ListPath& path) {
  const PlaceAccess entry = TRY(authorize(services, context, path, PlaceUse::kRead));
  const identity::PageRequest request = TRY(identity::pageRequestOf(path));
  return services.collections.list(entry.place.id(), request);
}

Result<Collection> showCollection(const RegistryServices& services,
                                  const Context& context,
                                  const CollectionPath& path) {
  const PlaceAccess entry = TRY(authorize(services, context, path, PlaceUse::kRead));
  return services.collections.find(entry.place.id(), path.collection);
}

Result<Collection> changeCollection(const RegistryServices& services,
                                    const Context& context,
                                    const CollectionPath& path,
                                    const CollectionChange& body) {
  const PlaceAccess entry = TRY(authorize(services, context, path, PlaceUse::kWrite));
  const identity::IfVersion version = TRY(http::expectedVersion(context.request.headers));
  return services.collections.update(entry.place.id(), path.collection, body, version);
}

Result<void> removeCollection(const RegistryServices& services,
                              const Context& context,
                              const CollectionPath& path) {
  const PlaceAccess entry = TRY(authorize(services, context, path, PlaceUse::kWrite));
  const identity::IfVersion version = TRY(http::expectedVersion(context.request.headers));
  return services.collections.remove(entry.place.id(), path.collection, version);
}

Result<void> changeTag(const RegistryServices& services,
                       const Context& context,
                       const TagPath& path,
                       bool put) {
  const PlaceAccess entry = TRY(authorize(services, context, path, PlaceUse::kWrite));
  const Actor actor = actorOf(context, entry);
  return put ? services.collections.putTag(entry.place, actor, path.collection, path.tag)
             : services.collections.removeTag(entry.place, actor, path.collection, path.tag);
}

void addCollectionRoutesBelow(const RegistryRoutes& routes, RouteBase base) {
  const http::Resource collections(
      routes, {pathBelow(base, "/collections"), pathBelow(base, "/collections/{collection}")},
      collectionPath(base), collectionCodec(), &Collection::revision);
  http::Parameters<PlacePath> place_path;
  collections.create(
      {choose(base, "createCollection", "createRegistryCollection"), "Add a collection",
       choose(base, "Creating a version in a missing collection also creates it.",
              "For links of one type. Linking into a missing one creates it.")},
      addPlacePath(place_path, base), newCollectionCodec(), createCollection);
  http::Parameters<ListPath> list_path = http::pageParameters<ListPath>();
  collections.list({choose(base, "listCollections", "listRegistryCollections"), "List collections",
                    "Newest first."},
                   "ArtifactCollectionPage", addPlacePath(list_path, base), listCollections);
  collections.show({choose(base, "getCollection", "getRegistryCollection"), "Show a collection"},
                   showCollection);
  collections.change({choose(base, "changeCollection", "changeRegistryCollection"),
                      "Rename or describe a collection"},
                     collectionChangeCodec(), changeCollection);
  collections.remove({choose(base, "deleteCollection", "deleteRegistryCollection"),
                      choose(base, "Remove a collection and all its versions",
                             "Remove a collection and its links")},
                     removeCollection);
  addNameRoutes(routes, pathBelow(base, "/collections/{collection}/tags/{tag}"),
                {choose(base, "putCollectionTag", "putRegistryCollectionTag"), "Tag a collection"},
                {choose(base, "deleteCollectionTag", "deleteRegistryCollectionTag"),
                 "Remove a tag from a collection"},
                tagPath(base), changeTag);
}

}  // namespace

void addCollectionRoutes(RegistryRoutes routes) {
  for (const RouteBase base : kRouteBases) addCollectionRoutesBelow(routes, base);
}

}  // namespace spindle::registry
