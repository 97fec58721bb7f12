#pragma once

#include <string_view>

#include "inference/routes/inference_api.h"
#include "inference/routes/inference_tag.h"

namespace spindle::inference {

// The parts of addInferenceRoutes(), one source file each.
void addModelRoutes(const InferenceRoutes& routes);
void addUpstreamRoutes(const InferenceRoutes& routes);
void addLimitRoutes(const InferenceRoutes& routes);
void addUsageRoutes(const InferenceRoutes& routes);

/// Checks that the user is an organization admin. @return kPermissionDenied, kUnavailable.
Result<void> requireAdmin(const InferenceServices& services, std::string_view user_id);

}  // namespace spindle::inference
