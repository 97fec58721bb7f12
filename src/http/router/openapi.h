#pragma once

#include <string>

#include "http/router/router.h"

namespace spindle::http {

/// Returns the OpenAPI 3.1.0 document of all routes as JSON text. Paths, parameters, schemas and
/// statuses are generated from the declarations of the routes.
std::string openApiDocument(const Router& router, std::string_view title, std::string_view version);

}  // namespace spindle::http
