#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "registry/routes/registry_api.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::registry {

/// The names of a resource, such as the tags of a version.
struct NamesReply {
  std::vector<std::string> items;
};
inline schema::Codec<NamesReply> namesCodec(std::string name) {
  return schema::Record<NamesReply>(std::move(name))
      .required("items", &NamesReply::items, schema::list(schema::string()))
      .codec();
}

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
