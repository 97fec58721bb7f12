#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "feedback/feedback_store.h"
#include "feedback/intake.h"
#include "http/route.h"
#include "identity/access.h"
#include "identity/names.h"
#include "objects/ref_conversion.h"
#include "query/expression.h"

namespace spindle::http {
class Router;
}

namespace spindle::feedback {

/// What the routes work with. Everything must outlive the router and is thread-safe.
struct FeedbackServices {
  identity::Access& access;
  FeedbackStore& store;
  const Intake& intake;
  /// The projects that a user may name in references.
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  const Clock& clock;
};

/// Adds the routes of feedback: writing, reading, statistics.
void addFeedbackRoutes(http::Router& router,
                       const FeedbackServices& services,
                       const http::RoutePolicy& policy);

// The parts, one file each:
void addFeedbackWriteRoutes(http::Router& router,
                            const FeedbackServices& services,
                            const http::RoutePolicy& policy);
void addFeedbackReadRoutes(http::Router& router,
                           const FeedbackServices& services,
                           const http::RoutePolicy& policy);
void addFeedbackAggregateRoutes(http::Router& router,
                                const FeedbackServices& services,
                                const http::RoutePolicy& policy);
void addFeedbackStatisticsRoutes(http::Router& router,
                                 const FeedbackServices& services,
                                 const http::RoutePolicy& policy);

/// The project that a request is about, by both of its names.
struct FeedbackProject {
  std::string id;  ///< internal; a project that does not exist yet has one that nothing is under
  std::string name;
};

/// @return kNotFound, kInvalidArgument for a broken name.
Result<FeedbackProject> readableProject(const FeedbackServices& services,
                                        const http::Context& context,
                                        std::string_view project);
/// The project, made when it is missing. @return kPermissionDenied too.
Result<FeedbackProject> writableProject(const FeedbackServices& services,
                                        const http::Context& context,
                                        std::string_view project);

/// A ref as it is stored; other texts as they are.
Result<std::string> storedRef(std::string_view text, objects::RefProjects& projects);

/// The query in the terms of what is stored: refs internal, types neutral.
Result<void> internalizeQuery(query::Query& query, objects::RefProjects& projects);

}  // namespace spindle::feedback
