#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"
#include "http/router/operation.h"
#include "http/router/paging.h"
#include "identity/types/permissions.h"
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

/// The JSON representation of a run in the API: a run, and the members that have another form.
struct RunView : Run {
  RunView() = default;
  RunView(const Run& run, const RunsPath& path);

  std::string team;
  std::string project;
  json::Text config_object;
  json::Text metrics_object;
  json::Text summary_object;
};

schema::Codec<RunState> stateCodec();
schema::Codec<RunView> runViewCodec();
/// Returns the run with its ETag header.
http::Reply<RunView> replyOf(const Run& run, const RunsPath& path);

/// Returns the project of a path if the caller may do the action in it. @return kNotFound,
/// kPermissionDenied.
Result<registry::Place> authorize(const RunServices& services,
                                  const http::Context& context,
                                  const RunsPath& path,
                                  identity::Action action);
/// Returns the project of a path if the caller may write to it; creates a missing project.
Result<registry::Place> authorizeWriteOrCreate(const RunServices& services,
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
