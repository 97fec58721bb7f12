#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "base/metrics.h"
#include "http/message.h"

namespace spindle::http {

/// Counts and times requests. Remembers the metric of each route, so that a request costs no
/// look-up by name. One thread at a time; several objects may share a registry.
class RequestMetrics {
 public:
  explicit RequestMetrics(MetricRegistry& registry) : registry_(registry) {}

  /// @param route storage that outlives this object; empty for requests that match none
  void record(Method method, std::string_view route, int status, double seconds);
  /// A request or connection that the edge turned away, and why.
  void rejected(std::string_view reason);

 private:
  struct Key {
    const void* route;
    int status;
    Method method;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  MetricRegistry& registry_;
  std::unordered_map<Key, Counter*, KeyHash> counters_;
  std::unordered_map<const void*, Histogram*> histograms_;
};

}  // namespace spindle::http
