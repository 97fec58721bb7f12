#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evaluation/recording/object_publisher.h"
#include "evaluation/recording/run_recorder.h"
#include "http/router/forward.h"
#include "http/router/parameters.h"
#include "http/router/route.h"
#include "objects/api/name_codecs.h"
#include "objects/api/objects_api.h"
#include "schema/scalar.h"
#include "tracing/routes/tracing_api.h"

namespace spindle::evaluation {

/// The dependencies of the handlers. All of them must outlive the router and be thread-safe.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): members with references need a value
struct EvaluationServices {
  objects::ObjectServices objects;
  tracing::TracingServices tracing;
  const ObjectPublisher& publisher;
  const RunRecorder& recorder;
};

using EvaluationRoutes = http::RouteGroup<EvaluationServices>;

/// Path parameters of a project.
struct ProjectPath {
  std::string entity;
  std::string project;

  std::string name() const { return entity + "/" + project; }
};

/// Returns parameters that begin with the project. P must derive from ProjectPath.
template <class P>
http::Parameters<P> projectParameters() {
  http::Parameters<P> parameters;
  parameters.path("entity", &P::entity, schema::string(), "The team.")
      .path("project", &P::project, schema::string(), "The project.");
  return parameters;
}

/// A project and a part of a list.
struct PagedPath : ProjectPath {
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
};

/// Adds the parameters of a part of a list. P must derive from PagedPath.
template <class P>
void addPaging(http::Parameters<P>& parameters) {
  parameters.query("limit", &P::limit, objects::pagingCodec(), "")
      .query("offset", &P::offset, objects::pagingCodec(), "");
}

/// Adds the routes below /v2/{entity}/{project}/: objects, runs, predictions, scores, results.
void addEvaluationRoutes(EvaluationRoutes routes);

// Parts of addEvaluationRoutes(), one source file each:
void addEvaluationObjectRoutes(const EvaluationRoutes& routes);
void addRunRoutes(const EvaluationRoutes& routes);
void addPredictionRoutes(const EvaluationRoutes& routes);
void addResultRoutes(const EvaluationRoutes& routes);

}  // namespace spindle::evaluation
