#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/core/result.h"
#include "evaluation/results/result_query.h"
#include "pricing/project_prices.h"
#include "tracing/calls/call_query.h"

namespace spindle::tracing {
class CallStore;
class RefValues;
}  // namespace spindle::tracing

namespace spindle::evaluation {

/// The dependencies of ResultReader. All of them must outlive it and be thread-safe.
struct ResultPorts {
  tracing::CallStore& calls;
  tracing::RefValues& ref_values;
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices;
};

/// Memory limits of one query: the number of trials; the bytes that are kept of all trials (scores,
/// and the fields of filters and sort keys); the payload bytes of one page.
struct ResultLimits {
  std::size_t trials = 200'000;
  std::size_t light_bytes = 256UL << 20;
  std::size_t page_bytes = 64UL << 20;
};

/// Reads the results of evaluations from their calls: first the small parts of all trials, then the
/// payloads of the rows of the page. Thread-safe; blocks on the store: worker threads only.
class ResultReader {
 public:
  explicit ResultReader(ResultPorts ports, ResultLimits limits = {})
      : ports_(std::move(ports)), limits_(limits) {}

  /// Executes a query. @return kInvalidArgument for an unsupported query, kTooLarge beyond the
  /// limits, and the errors of the stores.
  Result<EvaluationResults> read(const tracing::ProjectScope& project,
                                 const ResultQuery& result_query) const;

 private:
  ResultPorts ports_;
  ResultLimits limits_;
};

}  // namespace spindle::evaluation
