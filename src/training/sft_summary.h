#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "training/metrics_json.h"

namespace spindle::training {

/// What all gradient steps of an SFT job say together, under the names that clients give it: means
/// of losses, sums of what was counted.
class SftSummary {
 public:
  void add(const Metrics& step);

  /// Nothing without a step.
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
