#include "evaluation/routes/call_lines.h"

#include <memory>
#include <utility>

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

Result<http::Reply<http::Nothing>> callLines(const EvaluationServices& services,
                                             const http::Context& context,
                                             const ProjectPath& path,
                                             const tracing::CallQuery& selection,
                                             const tracing::CallPage& page,
                                             CallFormatter line) {
  ProjectScope project = TRY(tracing::readableProject(services.tracing, context, path.name()));
  Result<std::unique_ptr<tracing::CallView>> view = services.tracing.calls.view(project);
  if (!view) return std::move(view).error();
  Result<std::unique_ptr<tracing::CallReader>> reader =
      (*view)->read(selection, page, tracing::CallMembers{}.columns());
  if (!reader) return std::move(reader).error();
  struct Lines {  // reverse order of destruction: the reader before the view
    std::unique_ptr<objects::RefProjects> projects;
    CallFormatter line;
    std::unique_ptr<tracing::CallView> view;
    std::unique_ptr<tracing::CallReader> reader;
  };
  auto lines =
      std::make_shared<Lines>(Lines{services.tracing.ref_projects(context.caller().user_id),
                                    std::move(line), *std::move(view), *std::move(reader)});
  std::shared_ptr<http::BodyStream> body =
      TRY(tracing::jsonLinesBody([lines]() -> Result<std::vector<std::string>> {
        std::vector<tracing::Call> calls = TRY(lines->reader->next());
        std::vector<std::string> texts;
        for (const tracing::Call& call : calls) {
          std::string text = TRY(lines->line(call, *lines->projects));
          texts.push_back(std::move(text));
        }
        return texts;
      }));
  http::Reply<http::Nothing> reply{http::Nothing{}};
  reply.stream = std::move(body);
  return reply;
}

Result<std::int64_t> deleteCalls(const EvaluationServices& services,
                                 const http::Context& context,
                                 const ProjectPath& path,
                                 const std::vector<std::string>& ids) {
  const ProjectScope project = TRY(changeableProject(services, context, path));
  if (project.id.empty()) return std::int64_t{0};
  return tracing::deleteWithDescendants(services.tracing.calls, project, ids);
}

schema::Codec<DeletedCalls> deletedCallsCodec() {
  return schema::Record<DeletedCalls>("DeletedCount")
      .required("num_deleted", &DeletedCalls::num_deleted, schema::integer(), "")
      .codec();
}

schema::Codec<Success> successCodec() {
  return schema::Record<Success>("Success")
      .required("success", &Success::success, schema::boolean(), "")
      .codec();
}

Result<std::string> presentRef(std::string_view ref,
                               objects::RefProjects& projects,
                               wire::Spelling spelling) {
  return objects::externalRef(ref, projects, spelling);
}

Result<json::Text> presentJson(std::string json,
                               objects::RefProjects& projects,
                               wire::Spelling spelling) {
  TRY(objects::externalizeRefs(json, projects, spelling));
  return json::Text{std::move(json)};
}

}  // namespace spindle::evaluation
