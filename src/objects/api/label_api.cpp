#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "objects/api/caller_project.h"
#include "objects/api/name_codecs.h"
#include "objects/api/objects_api.h"
#include "objects/store/label_repository.h"
#include "objects/values/label.h"
#include "schema/scalar.h"

namespace spindle::objects {
namespace {

using http::Context, http::Parameters, http::Reply;
using schema::list, schema::Record, schema::string;

struct ObjectPath {
  std::string object_id;
};
struct VersionPath {
  std::string object_id;
  std::string digest;
};
struct ProjectQuery {
  std::string project_id;
};
struct TagsBody {
  std::string project_id;
  Texts tags;
};
struct SetAliasesBody {
  std::string project_id;
  std::string digest;
  Texts aliases;
};
struct RemoveAliasesBody {
  std::string project_id;
  Texts aliases;
};
struct Empty {};
struct TagsReply {
  Texts tags;
};
struct AliasesReply {
  Texts aliases;
};

Parameters<ObjectPath> objectPath() {
  Parameters<ObjectPath> parameters;
  parameters.path("object_id", &ObjectPath::object_id, string(), "Name of the object.");
  return parameters;
}

Parameters<VersionPath> versionPath() {
  Parameters<VersionPath> parameters;
  parameters.path("object_id", &VersionPath::object_id, string(), "Name of the object.")
      .path("digest", &VersionPath::digest, string(), "A digest, `latest`, `vN` or an alias.");
  return parameters;
}

Parameters<ProjectQuery> projectQuery() {
  Parameters<ProjectQuery> parameters;
  parameters.requiredQuery("project_id", &ProjectQuery::project_id, identity::projectIdCodec(),
                           "`entity/project`.");
  return parameters;
}

schema::Codec<TagsBody> tagsBodyCodec() {
  return Record<TagsBody>("TagsRequest")
      .required("project_id", &TagsBody::project_id, identity::projectIdCodec(),
                "`entity/project`.")
      .required("tags", &TagsBody::tags, tagsCodec(),
                "Words of letters, digits, `_` and `-` with single spaces between them.")
      .codec();
}

schema::Codec<SetAliasesBody> setAliasesCodec() {
  using B = SetAliasesBody;
  return Record<B>("AliasesSetRequest")
      .required("project_id", &B::project_id, identity::projectIdCodec(), "`entity/project`.")
      .required("digest", &B::digest, string(), "A digest, `latest`, `vN` or another alias.")
      .required("aliases", &B::aliases, aliasesCodec(), "Without `/` and `:`; not `latest`, `vN`.")
      .codec();
}

schema::Codec<RemoveAliasesBody> removeAliasesCodec() {
  using B = RemoveAliasesBody;
  return Record<B>("AliasesRemoveRequest")
      .required("project_id", &B::project_id, identity::projectIdCodec(), "`entity/project`.")
      .required("aliases", &B::aliases, aliasesCodec(), "")
      .codec();
}

schema::Codec<Empty> emptyCodec() { return Record<Empty>("Empty").codec(); }

Result<Empty> done(Result<void> outcome) {
  if (!outcome) return std::move(outcome).error();
  return Empty{};
}

Result<Empty> addTags(const ObjectServices& services,
                      const Context& context,
                      const VersionPath& path,
                      const TagsBody& body) {
  const CallerProject project = TRY(changeableProject(services, context, body.project_id));
  TRY(checkTags(body.tags));
  return done(services.labels.addTags(project.id, path.object_id, path.digest, body.tags));
}

Result<Empty> removeTags(const ObjectServices& services,
                         const Context& context,
                         const VersionPath& path,
                         const TagsBody& body) {
  const CallerProject project = TRY(changeableProject(services, context, body.project_id));
  TRY(checkTags(body.tags));
  return done(services.labels.removeTags(project.id, path.object_id, path.digest, body.tags));
}

Result<Empty> setAliases(const ObjectServices& services,
                         const Context& context,
                         const ObjectPath& path,
                         const SetAliasesBody& body) {
  const CallerProject project = TRY(changeableProject(services, context, body.project_id));
  TRY(checkAliases(body.aliases));
  return done(services.labels.setAliases(project.id, path.object_id, body.digest, body.aliases));
}

Result<Empty> removeAliases(const ObjectServices& services,
                            const Context& context,
                            const ObjectPath& path,
                            const RemoveAliasesBody& body) {
  const CallerProject project = TRY(changeableProject(services, context, body.project_id));
  TRY(checkAliases(body.aliases));
  return done(services.labels.removeAliases(project.id, path.object_id, body.aliases));
}

/// Returns the tags or aliases of a project.
Result<Texts> textsOf(const ObjectServices& services,
                      const Context& context,
                      const ProjectQuery& query,
                      Result<Texts> (LabelRepository::*texts)(std::string_view)) {
  const CallerProject project = TRY(readableProject(services, context, query.project_id));
  return (services.labels.*texts)(project.id);
}

void addListRoutes(ObjectRoutes routes) {
  routes.get("/tags", {"listTags", "List the tags in use"},
             {.params = projectQuery(),
              .reply = Record<TagsReply>("TagsReply")
                           .required("tags", &TagsReply::tags, list(string()), "")
                           .codec()},
             [](const ObjectServices& services, const Context& context,
                const ProjectQuery& query) -> Result<TagsReply> {
               Texts tags = TRY(textsOf(services, context, query, &LabelRepository::tags));
               return TagsReply{std::move(tags)};
             });
  routes.get("/aliases", {"listAliases", "List the aliases in use"},
             {.params = projectQuery(),
              .reply = Record<AliasesReply>("AliasesReply")
                           .required("aliases", &AliasesReply::aliases, list(string()), "")
                           .codec()},
             [](const ObjectServices& services, const Context& context,
                const ProjectQuery& query) -> Result<AliasesReply> {
               Texts aliases = TRY(textsOf(services, context, query, &LabelRepository::aliases));
               return AliasesReply{std::move(aliases)};
             });
}

}  // namespace

void addLabelRoutes(ObjectRoutes routes) {
  routes.put("/objs/{object_id}/versions/{digest}/tags", {"addTags", "Add tags to a version"},
             {.params = versionPath(), .body = tagsBodyCodec(), .reply = emptyCodec()}, addTags);
  routes.post("/objs/{object_id}/versions/{digest}/tags/remove",
              {"removeTags", "Remove tags from a version"},
              {.params = versionPath(), .body = tagsBodyCodec(), .reply = emptyCodec()},
              removeTags);
  routes.put("/objs/{object_id}/aliases",
             {"setAliases", "Point aliases at a version",
              "Removes each alias from other versions of the object."},
             {.params = objectPath(), .body = setAliasesCodec(), .reply = emptyCodec()},
             setAliases);
  routes.post(
      "/objs/{object_id}/aliases/remove", {"removeAliases", "Remove aliases from an object"},
      {.params = objectPath(), .body = removeAliasesCodec(), .reply = emptyCodec()}, removeAliases);
  addListRoutes(routes);
}

}  // namespace spindle::objects
