#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "base/core/metrics.h"
#include "http/message/message.h"

namespace spindle::http {

/// Counts and measures requests. Caches the metrics of each route, so that a request needs no
/// lookup by name. One thread at a time; several objects may share a registry.
class RequestMetrics {
 public:
  explicit RequestMetrics(MetricRegistry& registry) : registry_(registry) {}

  /// @param route in storage that outlives this object; empty if no route matches
  void record(Method method, std::string_view route, int status, double seconds);
  /// Counts a request or connection that the server itself rejected, by reason.
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
