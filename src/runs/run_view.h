#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"
#include "http/router/operation.h"
#include "http/router/paging.h"
#include "identity/store/page.h"
#include "registry/artifacts/artifact.h"
#include "runs/run.h"
#include "runs/runs_api.h"

namespace spindle::runs {

inline constexpr std::string_view kRunsTag = "runs";

/// The path parameters of a project and of a run.
struct RunsPath {
  std::string team;
  std::string project;
};
struct RunPath : RunsPath {
  std::string run;
};

template <class P>
http::Parameters<P>& addProjectPath(http::Parameters<P>& parameters) {
  return parameters.path("team", &RunsPath::team, schema::string(), "Name of the team.")
      .path("project", &RunsPath::project, schema::string(), "Name of the project.");
}
template <class P>
http::Parameters<P>& addRunPath(http::Parameters<P>& parameters) {
  return addProjectPath(parameters).path("run", &RunPath::run, schema::string(), "Id of the run.");
}
http::Parameters<RunPath> runPath();

/// Makes a route accept a missing body as an empty object.
void makeBodyOptional(http::Route& route);

/// The JSON representation of a run in the API.
struct RunView {
  RunView() = default;
  RunView(const Run& run, const RunsPath& path);

  std::string run_id;
  std::string name;
  std::string team;
  std::string project;
  std::string user;
  RunState state = RunState::kRunning;
  json::Text config;
  json::Text metrics;
  json::Text summary;
  std::vector<std::string> tags;
  std::optional<std::string> notes;
  std::optional<std::string> group;
  std::optional<std::string> job_type;
  std::optional<std::int64_t> exit_code;
  std::int64_t history_line_count = 0;
  std::optional<std::int64_t> last_step;
  bool stop_requested = false;
  Timestamp created_at;
  Timestamp updated_at;
  Timestamp heartbeat_at;
  std::optional<Timestamp> finished_at;
};

schema::Codec<RunState> stateCodec();
schema::Codec<RunView> runViewCodec();
/// Returns the run with its ETag header.
http::Reply<RunView> replyOf(const Run& run, const RunsPath& path);

/// Parses the page parameters of a list whose cursor is a number.
/// @return kInvalidSchema for a cursor of another list.
Result<identity::PageRequest> numericPageRequest(const http::PageQuery& query);

registry::Actor actorOf(const http::Context& context);

/// Returns the project of a path if the caller may write to it. @return kNotFound,
/// kPermissionDenied.
Result<registry::Place> authorizeWrite(const RunServices& services,
                                       const http::Context& context,
                                       const RunsPath& path);
/// Like authorizeWrite(), but creates a missing project.
Result<registry::Place> authorizeWriteOrCreate(const RunServices& services,
                                               const http::Context& context,
                                               const RunsPath& path);
/// Returns the project of a path if the caller administers it. @return kNotFound,
/// kPermissionDenied.
Result<registry::Place> authorizeManage(const RunServices& services,
                                        const http::Context& context,
                                        const RunsPath& path);
/// Returns the id of the project if the caller may read it; empty if it does not exist yet.
/// @return kNotFound.
Result<std::string> readableProject(const RunServices& services,
                                    const http::Context& context,
                                    const RunsPath& path);

/// Returns the project of a run if the caller may stop or delete the run: its owner, or an admin of
/// the project. @return kNotFound, kPermissionDenied.
Result<registry::Place> authorizeRunEnd(const RunServices& services,
                                        const http::Context& context,
                                        const RunPath& path);

}  // namespace spindle::runs
