#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/time.h"

namespace spindle::tracing {

/// A search for calls whose name, inputs or output contain a text, in letters of either case.
struct CallSearch {
  std::string text = {};                ///< not empty
  std::int64_t limit = 20;              ///< number of calls
  std::optional<Timestamp> since = {};  ///< inclusive
  std::optional<Timestamp> until = {};  ///< exclusive
};

enum class SearchedField { kName, kInputs, kOutput };

/// The first place of the text in a field. Inputs and output are JSON; the texts around the match
/// begin and end anywhere in it.
struct FoundText {
  SearchedField field = SearchedField::kName;
  std::string before;
  std::string match;
  std::string after;
};

struct FoundCall {
  std::string id;
  std::string trace_id;
  std::string name;  ///< display name, or name of the op
  Timestamp started_at;
  std::vector<FoundText> texts;  ///< one for each field with the text
};

/// Length of the texts around a match, in characters.
inline constexpr int kFoundBefore = 320;
inline constexpr int kFoundAfter = 400;

}  // namespace spindle::tracing
