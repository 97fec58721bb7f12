#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/document.h"

namespace spindle::tracing {

/// The model usage in the summary of a call, in the form that statistics read without parsing JSON.
/// The counts are set only if the call reports exactly one model: only then they belong to a model.
/// They are doubles, so that absurd reports cannot overflow.
struct ReportedUsage {
  std::int64_t models = 0;  ///< number of models with usage
  std::string model = {};
  double input = 0;   ///< prompt and input tokens
  double output = 0;  ///< completion and output tokens
  double total = 0;   ///< as reported
  double cache_read = 0;
  double cache_creation = 0;

  bool operator==(const ReportedUsage&) const = default;
};

/// Reads the member `usage` of a summary. A count that is not a finite number is 0.
ReportedUsage reportedUsage(const json::Node& summary);

}  // namespace spindle::tracing
