#pragma once

#include <string_view>

#include "http/router/route_group.h"
#include "registry/routes/registry_api.h"

namespace spindle::registry {

/// Adds PUT and DELETE of a name below a resource, such as a tag of a collection. Both reply 204.
/// They call `change` with the services, the context, the parameters, and true for PUT.
template <class Path, class Change>
void addNameRoutes(const RegistryRoutes& routes,
                   std::string_view path,
                   const http::OperationText& put,
                   const http::OperationText& remove,
                   const http::Parameters<Path>& parameters,
                   Change change) {
  for (const bool puts : {true, false}) {
    routes.add(puts ? http::Method::kPut : http::Method::kDelete, path, puts ? put : remove,
               {.params = parameters, .status = 204},
               [change, puts](const RegistryServices& services, const http::Context& context,
                              const Path& at) { return change(services, context, at, puts); });
  }
}

}  // namespace spindle::registry
