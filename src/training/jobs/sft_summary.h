#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "training/data/metrics.h"

namespace spindle::training {

/// Aggregates all gradient steps of an SFT job under the metric names of clients: means of losses,
/// sums of counts.
class SftSummary {
 public:
  void add(const Metrics& step);

  /// Returns the summary; empty without steps.
  Metrics metrics() const;

 private:
  struct Sum {
    double total = 0;
    std::int64_t count = 0;
  };
  std::map<std::string, Sum> sums_;
  std::int64_t steps_ = 0;
};

}  // namespace spindle::training
