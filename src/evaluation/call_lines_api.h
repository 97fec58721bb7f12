#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evaluation/evaluation_api.h"
#include "http/endpoint.h"
#include "tracing/call_store.h"

namespace spindle::evaluation {

/// The project, when there is one, as the caller may change what is in it: asking to change
/// something does not make a project. Its id is empty when it does not exist.
/// @return kNotFound, kPermissionDenied, kInvalidArgument for a broken name.
Result<tracing::ProjectScope> changeableProject(const EvaluationServices& services,
                                                const http::Context& context,
                                                const ProjectPath& path);

/// Whose calls a request writes. @return as above.
Result<RunScope> writableScope(const EvaluationServices& services,
                               const http::Context& context,
                               const ProjectPath& path);

/// One line for a call, and what a project's references look like to the reader.
using CallLine = std::function<Result<std::string>(const tracing::Call&, objects::RefProjects&)>;

/// The calls of a selection in the order of their starts, one line each.
Result<http::Reply<http::Nothing>> callLines(const EvaluationServices& services,
                                             const http::Context& context,
                                             const ProjectPath& path,
                                             const tracing::CallSelection& selection,
                                             const tracing::CallPage& page,
                                             CallLine line);

/// Deletes calls and what is below them. @return how many; 0 when none is known.
Result<std::int64_t> deleteCalls(const EvaluationServices& services,
                                 const http::Context& context,
                                 const ProjectPath& path,
                                 const std::vector<std::string>& ids);

struct DeletedCalls {
  std::int64_t num_deleted = 0;
};
schema::Codec<DeletedCalls> deletedCallsCodec();

struct Success {
  bool success = true;
};
schema::Codec<Success> successCodec();

/// A reference, or JSON with references in it, as the reader may see it.
Result<std::string> shownRef(std::string_view ref,
                             objects::RefProjects& projects,
                             wire::Spelling spelling);
Result<json::Text> shownJson(std::string json,
                             objects::RefProjects& projects,
                             wire::Spelling spelling);

}  // namespace spindle::evaluation
