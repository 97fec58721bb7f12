#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "http/endpoint.h"
#include "http/paging.h"
#include "identity/page.h"
#include "registry/artifact.h"
#include "runs/run.h"
#include "runs/runs_api.h"

namespace spindle::runs {

inline constexpr std::string_view kRunsTag = "runs";

/// A project and a run as paths name them.
struct RunsPath {
  std::string team;
  std::string project;
};
struct RunPath : RunsPath {
  std::string run;
};

template <class P>
http::Parameters<P>& inProject(http::Parameters<P>& parameters) {
  return parameters.path("team", &RunsPath::team, schema::string(), "Name of the team.")
      .path("project", &RunsPath::project, schema::string(), "Name of the project.");
}
template <class P>
http::Parameters<P>& ofRun(http::Parameters<P>& parameters) {
  return inProject(parameters).path("run", &RunPath::run, schema::string(), "Id of the run.");
}
http::Parameters<RunPath> runPath();

/// The route, for which no body is the same as an empty object.
http::Route bodyOptional(http::Route route);

/// A run as the API shows it.
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
/// With its ETag.
http::Reply<RunView> replyOf(const Run& run, const RunsPath& path);

/// The domain's idea of a page of a list whose pages end with a number.
/// @return kInvalidSchema for a foreign cursor.
Result<identity::PageRequest> numberedPage(const http::PageQuery& query);

registry::Actor actorOf(const http::Context& context);

/// The project of a path, for one who may write to it. @return kNotFound, kPermissionDenied.
Result<registry::Place> writablePlace(const RunServices& services,
                                      const http::Context& context,
                                      const RunsPath& path);
/// The same; a project that is not there springs into being.
Result<registry::Place> ensuredPlace(const RunServices& services,
                                     const http::Context& context,
                                     const RunsPath& path);
/// For one who administers the project.
Result<registry::Place> managedPlace(const RunServices& services,
                                     const http::Context& context,
                                     const RunsPath& path);
/// The id of a project for one who may read it; empty when it does not exist yet.
/// @return kNotFound.
Result<std::string> readableProject(const RunServices& services,
                                    const http::Context& context,
                                    const RunsPath& path);

/// The place of a run that the caller may end: its own, or any for those who administer the
/// project. @return kNotFound, kPermissionDenied.
Result<registry::Place> endablePlace(const RunServices& services,
                                     const http::Context& context,
                                     const RunPath& path);

}  // namespace spindle::runs
