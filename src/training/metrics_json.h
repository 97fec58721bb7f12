#pragma once

#include <string>
#include <utility>
#include <vector>

namespace spindle::training {

using Metrics = std::vector<std::pair<std::string, double>>;

/// `{"name": number, …}`; what is not finite is left out.
std::string metricsJson(const Metrics& metrics);

/// The numbers of a JSON object; whatever else is in it is passed over.
Metrics metricsOf(std::string json);

/// Both, the second winning where a name is in both.
Metrics mergedMetrics(Metrics first, const Metrics& second);

}  // namespace spindle::training
