#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "objects/api/caller_project.h"
#include "objects/api/name_codecs.h"
#include "objects/api/objects_api.h"
#include "objects/api/single_member.h"
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
/// Tags or aliases to change.
struct LabelsBody {
  std::string project_id;
  Texts labels;
};
struct SetAliasesBody : LabelsBody {
  std::string digest;
};
struct Empty {};

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

schema::Codec<LabelsBody> tagsBodyCodec() {
  return projectRecord<LabelsBody>("TagsRequest")
      .required("tags", &LabelsBody::labels, tagsCodec(),
                "Words of letters, digits, `_` and `-` with single spaces between them.")
      .codec();
}

schema::Codec<SetAliasesBody> setAliasesCodec() {
  using B = SetAliasesBody;
  return projectRecord<B>("AliasesSetRequest")
      .required("digest", &B::digest, string(), "A digest, `latest`, `vN` or another alias.")
      .required("aliases", &B::labels, aliasesCodec(), "Without `/` and `:`; not `latest`, `vN`.")
      .codec();
}

schema::Codec<LabelsBody> removeAliasesCodec() {
  return projectRecord<LabelsBody>("AliasesRemoveRequest")
      .required("aliases", &LabelsBody::labels, aliasesCodec())
      .codec();
}

schema::Codec<Empty> emptyCodec() { return Record<Empty>("Empty").codec(); }

/// Checks the labels of a request and runs `change` with the id of its project.
template <class Change>
Result<Empty> changeLabels(const ObjectServices& services,
                           const Context& context,
                           const LabelsBody& body,
                           Result<void> (*check)(const Texts&),
                           const Change& change) {
  const CallerProject project = TRY(changeableProject(services, context, body.project_id));
  TRY(check(body.labels));
  TRY(change(project.id));
  return Empty{};
}

/// Returns the handler that adds or removes tags.
auto tagsHandler(Result<void> (LabelRepository::*change)(const VersionName& version,
                                                         const Texts& tags)) {
  return [change](const ObjectServices& services, const Context& context, const VersionPath& path,
                  const LabelsBody& body) {
    return changeLabels(services, context, body, checkTags, [&](const std::string& project_id) {
      return (services.labels.*change)({project_id, path.object_id, path.digest}, body.labels);
    });
  };
}

Result<Empty> setAliases(const ObjectServices& services,
                         const Context& context,
                         const ObjectPath& path,
                         const SetAliasesBody& body) {
  return changeLabels(services, context, body, checkAliases, [&](const std::string& project_id) {
    return services.labels.setAliases({project_id, path.object_id, body.digest}, body.labels);
  });
}

Result<Empty> removeAliases(const ObjectServices& services,
                            const Context& context,
                            const ObjectPath& path,
                            const LabelsBody& body) {
  return changeLabels(services, context, body, checkAliases, [&](const std::string& project_id) {
    return services.labels.removeAliases(project_id, path.object_id, body.labels);
  });
}

/// Adds the route that lists the tags or aliases of a project as `member`.
void addListRoute(const ObjectRoutes& routes,
                  std::string_view path,
                  const http::OperationText& text,
                  const std::string& record,
                  std::string_view member,
                  Result<Texts> (LabelRepository::*labels)(std::string_view project_id)) {
  routes.get(path, text, {.params = projectQuery(), .reply = only(record, member, list(string()))},
             [labels](const ObjectServices& services, const Context& context,
                      const ProjectQuery& query) -> Result<Only<Texts>> {
               const CallerProject project =
                   TRY(readableProject(services, context, query.project_id));
               Texts found = TRY((services.labels.*labels)(project.id));
               return Only<Texts>{std::move(found)};
             });
}

}  // namespace

void addLabelRoutes(ObjectRoutes routes) {
  routes.put("/objs/{object_id}/versions/{digest}/tags", {"addTags", "Add tags to a version"},
             {.params = versionPath(), .body = tagsBodyCodec(), .reply = emptyCodec()},
             tagsHandler(&LabelRepository::addTags));
  routes.post("/objs/{object_id}/versions/{digest}/tags/remove",
              {"removeTags", "Remove tags from a version"},
              {.params = versionPath(), .body = tagsBodyCodec(), .reply = emptyCodec()},
              tagsHandler(&LabelRepository::removeTags));
  routes.put("/objs/{object_id}/aliases",
             {"setAliases", "Point aliases at a version",
              "Removes each alias from other versions of the object."},
             {.params = objectPath(), .body = setAliasesCodec(), .reply = emptyCodec()},
             setAliases);
  routes.post(
      "/objs/{object_id}/aliases/remove", {"removeAliases", "Remove aliases from an object"},
      {.params = objectPath(), .body = removeAliasesCodec(), .reply = emptyCodec()}, removeAliases);
  addListRoute(routes, "/tags", {"listTags", "List the tags in use"}, "TagsReply", "tags",
               &LabelRepository::tags);
  addListRoute(routes, "/aliases", {"listAliases", "List the aliases in use"}, "AliasesReply",
               "aliases", &LabelRepository::aliases);
}

}  // namespace spindle::objects
