#pragma once

#include <string>
#include <string_view>

#include "runs/flat_rows_json.h"

namespace spindle::runs {

/// A run's summary and what has to be remembered to go on with it.
struct Summary {
  std::string values = "{}";  ///< a JSON object: what people see
  std::string sums = "{}";    ///< a JSON object: `[sum, count]` of keys whose mean is wanted
};

/// Takes rows into the summary: of each key the last value, or what `rules` says of it: an object
/// of `{"summary":"min"|"max"|"mean"|"best"|"last"|"none","objective":"minimize"|"maximize"}` by
/// key. A best value is the least, or with `maximize` the greatest. Means, extremes and best values
/// are of finite numbers; other values leave them as they are. Keys that rows have of themselves
/// stay out.
void addToSummary(Summary& summary, std::string_view rules, const FlatRows& rows);

/// A JSON object with the members of `added` added or replaced.
std::string mergedObject(std::string_view object, std::string_view added);

}  // namespace spindle::runs
