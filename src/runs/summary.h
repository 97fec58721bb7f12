#pragma once

#include <string>
#include <string_view>

#include "runs/flat_rows.h"

namespace spindle::runs {

/// The summary of a run, and the state that later updates need.
struct Summary {
  std::string values = "{}";  ///< a JSON object: the visible summary
  std::string sums = "{}";    ///< a JSON object: `[sum, count]` of keys with the rule `mean`
};

/// Updates the summary with rows. Each key gets its last value, or the value that its entry in
/// `rules` selects: an object by key of
/// `{"summary":"min"|"max"|"mean"|"best"|"last"|"none","objective":"minimize"|"maximize"}`.
/// `best` is the minimum, or with `maximize` the maximum. Mean, minimum, maximum and best consider
/// only finite numbers. The keys of isReservedKey() are not part of the summary.
void addToSummary(Summary& summary, std::string_view rules, const FlatRows& rows);

}  // namespace spindle::runs
