#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/core/time.h"
#include "feedback/feedback_store.h"
#include "feedback/feedback_validator.h"
#include "http/router/forward.h"
#include "http/router/route.h"
#include "identity/access/access.h"
#include "identity/audit/audit_trail.h"
#include "objects/values/ref_conversion.h"

namespace spindle::feedback {

/// Dependencies of the routes. Everything must outlive the router and be thread-safe.
struct FeedbackServices {
  identity::Access& access;
  FeedbackStore& store;
  const FeedbackValidator& feedback_validator;
  /// Returns the projects that a user may name in references.
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  const Clock& clock;
  identity::AuditTrail& audit;
};

using FeedbackRoutes = http::RouteGroup<FeedbackServices>;

/// Adds all routes of feedback: write, read, aggregate, statistics.
void addFeedbackRoutes(FeedbackRoutes routes);

}  // namespace spindle::feedback
