#include "tracing/store/object_ref_values.h"

#include <cstddef>
#include <utility>

#include "objects/store/ref_reader.h"
#include "objects/values/ref.h"

namespace spindle::tracing {

Result<std::vector<std::optional<std::string>>> ObjectRefValues::valuesOf(
    std::string_view project_id, const std::vector<std::string>& refs) {
  std::vector<std::optional<std::string>> values(refs.size());
  std::vector<objects::Ref> wanted;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    Result<objects::Ref> ref = objects::parseRef(refs[i]);
    if (!ref || !ref->isObjectOrOp() || ref->project != project_id) continue;
    wanted.push_back(*std::move(ref));
    places.push_back(i);
  }
  if (wanted.empty()) return values;
  std::vector<objects::RefValue> found = TRY(reader_.read(wanted));
  for (std::size_t i = 0; i < places.size(); ++i) {
    objects::RefValue& value = found[i];
    if (value.state == objects::RefValue::State::kFound && value.value != "null")
      values[places[i]] = std::move(value.value);
  }
  return values;
}

}  // namespace spindle::tracing
