#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "evaluation/result_question.h"
#include "pricing/price_choice.h"
#include "tracing/call_selection.h"

namespace spindle::tracing {
class CallStore;
class RefValues;
}  // namespace spindle::tracing

namespace spindle::evaluation {

/// Where results are read from. Everything must outlive the reader and is thread-safe.
struct ResultPorts {
  tracing::CallStore& calls;
  tracing::RefValues& ref_values;
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices;
};

/// What one question may bring into memory: trials, the bytes that are kept of all of them (scores,
/// and the fields that are sorted or filtered by), and the payloads of one page.
struct ResultLimits {
  std::size_t trials = 200'000;
  std::size_t light_bytes = 256UL << 20;
  std::size_t page_bytes = 64UL << 20;
};

/// Reads the results of evaluations off their calls: light parts of all trials first, payloads for
/// the rows of the page only. Thread-safe; blocks on the store: worker threads only.
class ResultReader {
 public:
  explicit ResultReader(ResultPorts ports, ResultLimits limits = {})
      : ports_(std::move(ports)), limits_(limits) {}

  /// @return kInvalidArgument for what cannot be asked, kTooLarge beyond the limits, the errors of
  /// the stores.
  Result<ResultAnswer> read(const tracing::ProjectScope& project,
                            const ResultQuestion& question) const;

 private:
  ResultPorts ports_;
  ResultLimits limits_;
};

}  // namespace spindle::evaluation
