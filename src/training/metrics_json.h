#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spindle::training {

using Metrics = std::vector<std::pair<std::string, double>>;

/// `{"name": number, …}`; what is not finite is left out.
std::string metricsJson(const Metrics& metrics);
/// The data of a `training_started`: how many steps to expect, and why if there are none.
std::string startedJson(std::int64_t num_sequences, const std::optional<std::string>& note);

/// The numbers of a JSON object; whatever else is in it is passed over.
Metrics metricsOf(std::string json);

/// Both, the second winning where a name is in both.
Metrics mergedMetrics(Metrics first, const Metrics& second);

}  // namespace spindle::training
