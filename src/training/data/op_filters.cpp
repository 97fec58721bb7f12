#include "training/data/op_filters.h"

#include <utility>

#include "objects/values/object_id.h"
#include "objects/values/ref.h"
#include "wire/spelling.h"

namespace spindle::training {
namespace {

/// Returns the reference to all versions of an op, in the notation of filters.
std::string everyVersion(std::string name, std::string_view project_id) {
  objects::Ref ref;
  ref.project = project_id;
  ref.kind = objects::RefKind::kOp;
  ref.name = std::move(name);
  return objects::printRef(ref) + "*";
}

}  // namespace

std::vector<std::string> opFiltersFor(const std::vector<std::string>& names,
                                      std::string_view project_id) {
  std::vector<std::string> ops;
  for (const std::string& name : names) {
    ops.push_back(name);
    const bool plain = wire::splitRef(name).scheme == wire::RefScheme::kNone;
    if (!plain || name.ends_with(":*")) continue;
    ops.push_back(everyVersion(name, project_id));
    // Spans of exporters are published under an id derived from their name.
    std::string id = objects::idFromName(name);
    if (!id.empty() && id != name) ops.push_back(everyVersion(std::move(id), project_id));
  }
  return ops;
}

}  // namespace spindle::training
