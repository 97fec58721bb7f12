#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/paging.h"
#include "evaluation/routes/call_lines.h"
#include "evaluation/routes/evaluation_api.h"
#include "evaluation/routes/list_page.h"
#include "evaluation/routes/object_kind.h"
#include "http/router/route_group.h"
#include "objects/api/caller_project.h"
#include "objects/api/name_codecs.h"
#include "objects/store/object_repository.h"
#include "objects/values/ref.h"
#include "schema/compound.h"
#include "schema/scalar.h"
#include "tracing/routes/json_lines.h"

namespace spindle::evaluation {
namespace {

using http::Context, http::Nothing, http::Reply;
using objects::CallerProject, objects::ObjectVersion;
using schema::nullable, schema::string;

constexpr std::size_t kVersionsPerChunk = 100;
constexpr std::size_t kMaxDeletedVersions = 100;

struct VersionListPath : ListPath {
  bool latest_only = false;
};
struct VersionPath : ProjectPath {
  std::string object_id;
  std::string digest;
  bool eager = false;  ///< ignored: the response always contains the code
};
struct VersionDeletePath : ProjectPath {
  std::string object_id;
  std::optional<std::vector<std::string>> digests;
};

Error versionNotFound(std::string_view object_id, std::string_view version) {
  return Error::notFound("Obj " + std::string(object_id) + ":" + std::string(version) +
                         " not found");
}

bool isOf(const ObjectVersion& version, const objects::ObjectFilter& filter) {
  if (version.classes.kind == objects::ObjectKind::kOp) return filter.is_op.value_or(false);
  return !filter.is_op.value_or(false) &&
         version.classes.base == filter.base_object_classes.front();
}

template <class Body, class View>
Result<View> viewOf(const Kind<Body, View>& kind,
                    const EvaluationServices& services,
                    CallerProject& project,
                    const ObjectVersion& version,
                    wire::Spelling spelling) {
  std::string value = version.value;
  TRY(objects::externalizeRefs(value, project.projects, spelling));
  View view;
  view.object_id = version.object_id;
  view.digest = version.digest;
  view.version_index = version.version_index;
  view.created_at = version.created_at;
  TRY(kind.show({services, project.id, version, value}, view));
  return view;
}

template <class Body>
Result<Created> create(const EvaluationServices& services,
                       const Context& context,
                       const ProjectPath& path,
                       const Body& body) {
  CallerProject project = TRY(objects::writableProject(services.objects, context, path.name()));
  PublishedObject made = TRY(services.publisher.publish(
      {project.id, context.caller().user_id, project.projects, context.spelling()}, body));
  objects::Ref ref;
  ref.scheme = wire::RefScheme::kExternal;
  ref.spelling = context.spelling();
  ref.project = project.name;
  ref.name = made.object_id;
  ref.version = made.digest;
  return Created{made.digest, made.object_id, made.version_index, printRef(ref)};
}

template <class Body, class View>
Result<View> readVersion(const Kind<Body, View>& kind,
                         const EvaluationServices& services,
                         const Context& context,
                         const VersionPath& path) {
  CallerProject project = TRY(objects::readableProject(services.objects, context, path.name()));
  const ObjectVersion version =
      TRY(services.objects.objects.find(project.id, path.object_id, path.digest, true));
  if (!isOf(version, kind.filter)) return versionNotFound(path.object_id, path.digest);
  return viewOf(kind, services, project, version, context.spelling());
}

/// The state of a streamed list of versions.
template <class Body, class View>
struct VersionLines {
  Kind<Body, View> kind;
  EvaluationServices services;
  CallerProject project;
  wire::Spelling spelling = wire::Spelling::kNeutral;
  std::vector<ObjectVersion> versions;
  std::optional<std::string> last_line = {};
  std::size_t written = 0;

  Result<std::vector<std::string>> next() {
    const std::size_t end = std::min(versions.size(), written + kVersionsPerChunk);
    TRY(services.objects.objects.loadValues(versions, written, end - written));
    std::vector<std::string> lines;
    for (; written < end; ++written) {
      View view = TRY(viewOf(kind, services, project, versions[written], spelling));
      lines.push_back(kind.view.toJson(view, spelling));
      versions[written].value = {};
    }
    if (lines.empty() && last_line) {
      lines.push_back(*std::move(last_line));
      last_line.reset();
    }
    return lines;
  }
};

Result<objects::ObjectQuery> queryOf(const VersionListPath& path, objects::ObjectFilter filter) {
  TRY(objects::checkPaging(path.limit, path.offset));
  objects::ObjectQuery query;
  query.filter = std::move(filter);
  query.filter.latest_only = path.latest_only;
  query.newest_first = path.newestFirst();
  if (path.limit) query.limit = boundedRows(*path.limit);
  query.offset = boundedRows(path.offset.value_or(0));
  const std::optional<ListPosition> after = TRY(positionOf(path, 3));
  if (!after) return query;
  const std::int64_t created_at = TRY(integerAt(path, (*after)[0]));
  const std::int64_t version_index = TRY(integerAt(path, (*after)[1]));
  const std::int64_t id = TRY(integerAt(path, (*after)[2]));
  query.after = {timestampOfMicros(created_at), version_index, id};
  return query;
}

/// Removes the version beyond the limit, which shows that there is another page. Returns the cursor
/// of that page.
std::optional<std::string> cutPage(std::vector<ObjectVersion>& versions,
                                   const VersionListPath& path) {
  if (!path.limit || std::cmp_less_equal(versions.size(), *path.limit)) return std::nullopt;
  versions.pop_back();
  if (versions.empty()) return std::nullopt;
  const ObjectVersion& last = versions.back();
  return cursorAfter(path, {std::to_string(microsOf(last.created_at)),
                            std::to_string(last.version_index), std::to_string(last.id)});
}

template <class Body, class View>
Result<Reply<Nothing>> listVersions(const Kind<Body, View>& kind,
                                    const EvaluationServices& services,
                                    const Context& context,
                                    const VersionListPath& path) {
  CallerProject project = TRY(objects::readableProject(services.objects, context, path.name()));
  objects::ObjectQuery query = TRY(queryOf(path, kind.filter));
  if (path.include_cursor && query.limit) ++*query.limit;
  Result<std::vector<ObjectVersion>> versions = std::vector<ObjectVersion>();
  if (project.exists()) versions = services.objects.objects.query(project.id, query);
  if (!versions) return std::move(versions).error();
  auto lines = std::make_shared<VersionLines<Body, View>>(VersionLines<Body, View>{
      kind, services, std::move(project), context.spelling(), *std::move(versions)});
  if (path.include_cursor) lines->last_line = cursorLine(cutPage(lines->versions, path));
  std::shared_ptr<http::BodyStream> body =
      TRY(tracing::jsonLinesBody([lines] { return lines->next(); }));
  Reply<Nothing> reply{Nothing{}};
  reply.stream = std::move(body);
  return reply;
}

Result<DeletedCount> removeVersions(const objects::ObjectFilter& kind,
                                    const EvaluationServices& services,
                                    const Context& context,
                                    const VersionDeletePath& path) {
  const CallerProject project =
      TRY(objects::changeableProject(services.objects, context, path.name()));
  if (path.digests && path.digests->size() > kMaxDeletedVersions) {
    return Error::invalidArgument("Too many digests: at most " +
                                  std::to_string(kMaxDeletedVersions) +
                                  " versions are deleted at once");
  }
  objects::ObjectQuery query;
  query.filter = kind;
  query.filter.object_ids = {path.object_id};
  query.limit = 1;
  const std::vector<ObjectVersion> known = TRY(services.objects.objects.query(project.id, query));
  if (known.empty()) {
    return versionNotFound(path.object_id, path.digests && !path.digests->empty()
                                               ? path.digests->front()
                                               : objects::kLatest);
  }
  const std::vector<ObjectVersion> removed =
      TRY(services.objects.objects.remove(project.id, path.object_id, path.digests));
  return DeletedCount{static_cast<std::int64_t>(removed.size())};
}

http::Parameters<VersionPath> versionPath(bool is_op) {
  http::Parameters<VersionPath> parameters = projectParameters<VersionPath>();
  parameters.path("object_id", &VersionPath::object_id, string(), "")
      .path("digest", &VersionPath::digest, string(), "A digest, `latest`, `vN` or an alias.");
  if (is_op)
    parameters.query("eager", &VersionPath::eager, schema::boolean(),
                     "Accepted for compatibility; ignored.");
  return parameters;
}

template <class Body, class View>
void addKind(const EvaluationRoutes& routes, const Kind<Body, View>& kind) {
  const std::string path = "/v2/{entity}/{project}/" + kind.plural;
  const std::string one = path + "/{object_id}";
  const std::string version = one + "/versions/{digest}";
  const std::string name = kind.title;
  const std::string create_id = "create" + name;
  routes.post(
      path, {create_id, "Publish a version; existing content only becomes the latest"},
      {.params = projectParameters<ProjectPath>(), .body = kind.body, .reply = kind.created},
      create<Body>);
  const std::string list_id = "list" + name + "s";
  http::Parameters<VersionListPath> listing = projectParameters<VersionListPath>();
  addListParameters(listing);
  listing.query("latest_only", &VersionListPath::latest_only, schema::boolean(),
                "Only the latest version of each object.");
  http::replyWithLines(
      routes.get(path,
                 {list_id, "List versions; one JSON object per line", "Oldest first by default."},
                 {.params = listing},
                 [kind](const EvaluationServices& services, const Context& context,
                        const VersionListPath& asked) {
                   return listVersions(kind, services, context, asked);
                 }),
      lineType(kind.view));
  const std::string read_id = "read" + name;
  routes.get(version, {read_id, "Read a version"},
             {.params = versionPath(kind.filter.is_op.value_or(false)), .reply = kind.view},
             [kind](const EvaluationServices& services, const Context& context,
                    const VersionPath& at) { return readVersion(kind, services, context, at); });
  const std::string delete_id = "delete" + name;
  http::Parameters<VersionDeletePath> delete_parameters = projectParameters<VersionDeletePath>();
  delete_parameters.path("object_id", &VersionDeletePath::object_id, string(), "")
      .query("digests", &VersionDeletePath::digests,
             nullable(objects::textsCodec(kMaxDeletedVersions)),
             "Digests, `latest`, `vN` or aliases, at most 100. Default: all versions.");
  routes.remove(one, {delete_id, "Delete versions"},
                {.params = delete_parameters, .reply = deletedCountCodec()},
                [filter = kind.filter](const EvaluationServices& services, const Context& context,
                                       const VersionDeletePath& at) {
                  return removeVersions(filter, services, context, at);
                });
}

}  // namespace

void addEvaluationObjectRoutes(const EvaluationRoutes& routes) {
  addKind(routes, opKind());
  addKind(routes, datasetKind());
  addKind(routes, scorerKind());
  addKind(routes, evaluationKind());
  addKind(routes, modelKind());
}

}  // namespace spindle::evaluation
