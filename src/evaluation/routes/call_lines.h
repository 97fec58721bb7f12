#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "evaluation/routes/evaluation_api.h"
#include "http/router/operation.h"
#include "tracing/store/call_store.h"

namespace spindle::evaluation {

/// Returns the project of a path if the caller may change its content. Does not create a missing
/// project: the id is empty then. @return kNotFound, kPermissionDenied, kInvalidArgument for a
/// malformed name.
Result<tracing::ProjectScope> changeableProject(const EvaluationServices& services,
                                                const http::Context& context,
                                                const ProjectPath& path);

/// Returns the project and the caller for a request that writes calls. @return as above.
Result<RunScope> writableScope(const EvaluationServices& services,
                               const http::Context& context,
                               const ProjectPath& path);

/// Formats a call as one line. The second argument converts references for the reader.
using CallFormatter =
    std::function<Result<std::string>(const tracing::Call&, objects::RefProjects&)>;

/// Returns the cursor of the page that follows a call.
using CallCursor = std::function<std::string(const tracing::Call&)>;

/// Streams the calls of a selection in the order of the page, one line per call. With `cursor_of`,
/// a CursorLine follows the last call.
Result<http::Reply<http::Nothing>> callLines(const EvaluationServices& services,
                                             const http::Context& context,
                                             const ProjectPath& path,
                                             const tracing::CallQuery& selection,
                                             const tracing::CallPage& page,
                                             CallFormatter line,
                                             CallCursor cursor_of = {});

/// The path of one call.
struct CallPath : ProjectPath {
  std::string id;
};
/// Returns the parameters of the path; `id_name` is the name of the id.
http::Parameters<CallPath> callPath(std::string_view id_name);
/// Returns the call of a path. @return kNotFound, `<what> <id> not found`.
Result<tracing::Call> callAt(const EvaluationServices& services,
                             const http::Context& context,
                             const CallPath& path,
                             std::string_view what);

/// Adds a route that deletes the calls of the query parameter `ids_name` and their descendants.
void addCallDeletion(const EvaluationRoutes& routes,
                     std::string_view path,
                     const http::OperationText& text,
                     std::string_view ids_name);

/// The response to a deletion.
struct DeletedCount {
  std::int64_t num_deleted = 0;
};
schema::Codec<DeletedCount> deletedCountCodec();

/// The id of a new call.
struct CreatedCall {
  std::string id;
};
/// Returns the codec of a record whose only member is the id.
schema::Codec<CreatedCall> createdCallCodec(const std::string& record, std::string_view id_name);

struct Success {
  bool success = true;
};
schema::Codec<Success> successCodec();

}  // namespace spindle::evaluation
