#include "evaluation/routes/call_lines.h"

#include <memory>
#include <utility>

#include "evaluation/recording/run_calls.h"
#include "evaluation/routes/list_page.h"
#include "http/router/route_group.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/routes/call_json.h"
#include "tracing/routes/json_lines.h"
#include "tracing/store/call_deletion.h"

namespace spindle::evaluation {

using tracing::ProjectScope;

Result<ProjectScope> changeableProject(const EvaluationServices& services,
                                       const http::Context& context,
                                       const ProjectPath& path) {
  Result<ProjectScope> project = tracing::readableProject(services.tracing, context, path.name());
  if (!project || project->id.empty()) return project;
  return tracing::writableProject(services.tracing, context, path.name());
}

Result<RunScope> writableScope(const EvaluationServices& services,
                               const http::Context& context,
                               const ProjectPath& path) {
  ProjectScope project = TRY(tracing::writableProject(services.tracing, context, path.name()));
  return RunScope{std::move(project), context.caller().user_id, context.spelling()};
}

namespace {

/// The state of a streamed list of calls. Destroyed in reverse order: the reader before the view.
struct StreamedCalls {
  std::unique_ptr<objects::RefProjects> projects;
  CallFormatter line;
  CallCursor cursor_of;
  std::optional<std::int64_t> left;  ///< calls to write; there may be one more to read
  std::unique_ptr<tracing::CallView> view;
  std::unique_ptr<tracing::CallReader> reader;
  std::optional<std::string> next_cursor = {};  ///< of the call written last
  bool more = false;                            ///< a call follows the last one
  bool ended = false;

  Result<std::vector<std::string>> next() {
    if (ended) return std::vector<std::string>();
    const std::vector<tracing::Call> calls = TRY(reader->next());
    std::vector<std::string> lines;
    for (const tracing::Call& call : calls) {
      if (left && (*left)-- == 0) {
        more = true;
        break;
      }
      std::string text = TRY(line(call, *projects));
      lines.push_back(std::move(text));
      if (cursor_of) next_cursor = cursor_of(call);
    }
    ended = calls.empty() || more;
    if (ended && cursor_of) lines.push_back(cursorLine(more ? next_cursor : std::nullopt));
    return lines;
  }
};

}  // namespace

Result<http::Reply<http::Nothing>> callLines(const EvaluationServices& services,
                                             const http::Context& context,
                                             const ProjectPath& path,
                                             const tracing::CallQuery& selection,
                                             const tracing::CallPage& page,
                                             CallFormatter line,
                                             CallCursor cursor_of) {
  ProjectScope project = TRY(tracing::readableProject(services.tracing, context, path.name()));
  std::unique_ptr<tracing::CallView> view = TRY(services.tracing.calls.view(project));
  tracing::CallPage read = page;
  if (cursor_of && read.limit) ++*read.limit;  // one more call shows that there is another page
  std::unique_ptr<tracing::CallReader> reader =
      TRY(view->read(selection, read, tracing::CallMembers{}.columns()));
  auto lines = std::make_shared<StreamedCalls>(
      StreamedCalls{services.tracing.ref_projects(context.caller().user_id), std::move(line),
                    std::move(cursor_of), page.limit, std::move(view), std::move(reader)});
  std::shared_ptr<http::BodyStream> body =
      TRY(tracing::jsonLinesBody([lines] { return lines->next(); }));
  http::Reply<http::Nothing> reply{http::Nothing{}};
  reply.stream = std::move(body);
  return reply;
}

http::Parameters<CallPath> callPath(std::string_view id_name) {
  http::Parameters<CallPath> parameters = projectParameters<CallPath>();
  parameters.path(id_name, &CallPath::id, schema::string(), "");
  return parameters;
}

Result<tracing::Call> callAt(const EvaluationServices& services,
                             const http::Context& context,
                             const CallPath& path,
                             std::string_view what) {
  const ProjectScope project =
      TRY(tracing::readableProject(services.tracing, context, path.name()));
  std::optional<tracing::Call> call = TRY(findCall(services.tracing.calls, project, path.id));
  if (!call) return Error::notFound(std::string(what) + " " + path.id + " not found");
  return *std::move(call);
}

void addCallDeletion(const EvaluationRoutes& routes,
                     std::string_view path,
                     const http::OperationText& text,
                     std::string_view ids_name) {
  struct IdsPath : ProjectPath {
    std::vector<std::string> ids;
  };
  http::Parameters<IdsPath> parameters = projectParameters<IdsPath>();
  parameters.requiredQuery(ids_name, &IdsPath::ids, schema::list(schema::string()),
                           "At most 1000.");
  routes.remove(path, text, {.params = parameters, .reply = deletedCountCodec()},
                [](const EvaluationServices& services, const http::Context& context,
                   const IdsPath& asked) -> Result<DeletedCount> {
                  const ProjectScope project = TRY(changeableProject(services, context, asked));
                  if (project.id.empty()) return DeletedCount{};
                  const std::int64_t deleted = TRY(tracing::deleteWithDescendants(
                      services.tracing.calls, services.tracing.audit, project, asked.ids));
                  return DeletedCount{deleted};
                });
}

schema::Codec<DeletedCount> deletedCountCodec() {
  return schema::Record<DeletedCount>("DeletedCount")
      .required("num_deleted", &DeletedCount::num_deleted, schema::integer())
      .codec();
}

schema::Codec<CreatedCall> createdCallCodec(const std::string& record, std::string_view id_name) {
  return schema::Record<CreatedCall>(record)
      .required(id_name, &CreatedCall::id, schema::string(), "")
      .codec();
}

schema::Codec<Success> successCodec() {
  return schema::Record<Success>("Success")
      .required("success", &Success::success, schema::boolean())
      .codec();
}

}  // namespace spindle::evaluation
