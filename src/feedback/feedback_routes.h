#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "feedback/feedback_api.h"
#include "query/expression.h"

namespace spindle::feedback {

// The parts of addFeedbackRoutes(), one source file each:
void addFeedbackWriteRoutes(const FeedbackRoutes& routes);
void addFeedbackReadRoutes(const FeedbackRoutes& routes);
void addFeedbackAggregateRoutes(const FeedbackRoutes& routes);
void addFeedbackStatisticsRoutes(const FeedbackRoutes& routes);

/// Converts a ref to its stored form. Returns other strings unchanged.
Result<std::string> storedRef(std::string_view text, objects::RefProjects& projects);

/// Converts a query to stored terms: internal refs, neutral types.
Result<void> internalizeQuery(query::Query& query, objects::RefProjects& projects);

}  // namespace spindle::feedback
