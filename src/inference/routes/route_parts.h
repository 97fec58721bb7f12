#pragma once

#include <string_view>

#include "http/router/route_group.h"
#include "inference/routes/inference_api.h"
#include "inference/routes/inference_tag.h"

namespace spindle::inference {

struct Model;
struct ModelView;

// The parts of addInferenceRoutes(), one source file each.
void addModelRoutes(const InferenceRoutes& routes);
void addModelFileRoutes(const InferenceRoutes& routes);
void addUpstreamRoutes(const InferenceRoutes& routes);
void addLimitRoutes(const InferenceRoutes& routes);
void addUsageRoutes(const InferenceRoutes& routes);

/// Checks that the user is an organization admin. @return kPermissionDenied, kUnavailable.
Result<void> requireAdmin(const InferenceServices& services, std::string_view user_id);

/// Finds a model that the user may use. @return kNotFound for all other users.
Result<Model> findUsableModel(const InferenceServices& services,
                              const http::Context& context,
                              std::string_view name);

/// Applies a changed model to new requests and returns its view, for admins.
Result<ModelView> servedModel(const InferenceServices& services, const Model& model);

}  // namespace spindle::inference
