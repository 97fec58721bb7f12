#include "evaluation/scoring/scorer_columns.h"

#include <utility>

#include "evaluation/scoring/object_parameters.h"
#include "evaluation/scoring/prompt_template.h"

namespace spindle::evaluation {

ScorerColumns::ScorerColumns(ObjectParameters& parameters) {
  const std::optional<json::Node> map = parameters.find("column_map");
  if (!map) return;
  if (!map->isObject()) {
    parameters.refuse("'column_map' must be an object");
    return;
  }
  ObjectParameters columns(*map);
  output_ = columns.text("output", output_);
  target_ = columns.text("target", target_);
  if (columns.problem()) parameters.refuse("column_map: " + columns.problem()->message());
}

Result<std::string> ScorerColumns::output(const ScoredItem& item) const {
  std::optional<std::string> found = valueAt(item.output, output_);
  if (!found) return Error::invalidArgument("The output has no field '" + output_ + "'.");
  return *std::move(found);
}

Result<std::string> ScorerColumns::target(const ScoredItem& item) const {
  std::optional<std::string> found = valueAt(item.example, target_);
  if (!found) return Error::invalidArgument("The example has no field '" + target_ + "'.");
  return *std::move(found);
}

}  // namespace spindle::evaluation
