#include "evaluation/recording/object_name.h"

#include <utility>

#include "objects/values/object_id.h"
#include "objects/values/ref.h"

namespace spindle::evaluation {
std::string objectIdOf(const std::optional<std::string>& name, std::string_view fallback) {
  return name ? objects::idFromName(*name) : std::string(fallback);
}

std::optional<std::string> nameInRef(std::string_view ref) {
  Result<objects::Ref> parsed = objects::parseRef(ref);
  if (!parsed || !parsed->isObjectOrOp()) return std::nullopt;
  return std::move(parsed->name);
}

}  // namespace spindle::evaluation
