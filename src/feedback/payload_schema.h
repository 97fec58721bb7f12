#pragma once

#include <string>
#include <vector>

#include "feedback/statistics.h"

namespace spindle::feedback {

/// The path of a leaf of payloads, and its most frequent type.
struct PayloadPath {
  std::string json_path;
  ValueType value_type = ValueType::kNumeric;
};

/// Returns the leaves of these payloads, sorted by path: numbers, booleans and strings inside
/// objects. Lists and nulls are not leaves. Dots in names are escaped.
std::vector<PayloadPath> payloadPathsOf(const std::vector<std::string>& payloads);

}  // namespace spindle::feedback
