#pragma once

#include <string>
#include <vector>

#include "feedback/statistics.h"

namespace spindle::feedback {

/// A leaf of payloads: where it is, and what it is in most of them.
struct PayloadPath {
  std::string json_path;
  ValueType value_type = ValueType::kNumeric;
};

/// The leaves of these payloads, sorted by path: numbers, booleans and texts inside objects. Lists
/// and nulls are not leaves. Dots in names are escaped.
std::vector<PayloadPath> payloadPathsOf(const std::vector<std::string>& payloads);

}  // namespace spindle::feedback
