#pragma once

#include <string>

#include "http/router.h"

namespace spindle::http {

/// The OpenAPI 3.1.0 document of every route, as JSON text. Nothing in it is written by hand but
/// the product's name: paths, parameters, schemas and statuses come from the declarations.
std::string openApiDocument(const Router& router, std::string_view title, std::string_view version);

}  // namespace spindle::http
