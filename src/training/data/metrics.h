#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spindle::training {

using Metrics = std::vector<std::pair<std::string, double>>;

/// Returns `{"name": number, …}` without numbers that are not finite.
std::string metricsJson(const Metrics& metrics);
/// Returns the data of a `training_started` event: the number of expected steps, and the reason if
/// there are none.
std::string startedJson(std::int64_t num_sequences, const std::optional<std::string>& note);

/// Returns the numbers of a JSON object; ignores all other members.
Metrics metricsOf(std::string json);

/// Merges both; for a name in both, `second` wins.
Metrics mergedMetrics(Metrics first, const Metrics& second);

}  // namespace spindle::training
