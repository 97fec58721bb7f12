#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "tracing/calls/call_query.h"

namespace spindle::evaluation {

class ModelPort;

/// The item to score, as JSON texts: a row of a dataset (or the inputs of a call), and the output.
struct ScoredItem {
  std::string_view example;
  std::string_view output;
};

/// The result of a scorer.
struct ScoreOutcome {
  std::string value = "null";                 ///< JSON
  std::optional<std::string> exception = {};  ///< reason for a missing value
  std::string summary = "{}";                 ///< `{"usage": …}` of a judge
};

/// A built-in scorer that the server runs. Immutable and thread-safe.
class Scorer {
 public:
  virtual ~Scorer() = default;

  /// Scores an item. May block until a model answers. An item that cannot be scored gives an
  /// outcome with an exception. @return kUnavailable if stopped: then nothing was scored.
  virtual Result<ScoreOutcome> score(const ScoredItem& item, const std::stop_token& stop) const = 0;
};

/// The dependencies of judges. The port must outlive the scorer.
struct ScorerPorts {
  ModelPort& model;
  tracing::ProjectScope project;
  std::string user_id = {};  ///< user on whose behalf the judge model is requested
  std::string key_id = {};
};

/// Creates the scorer that an object describes by its `kind` and parameters
/// (docs/evaluation_jobs.md). `object` must be valid JSON.
/// @return kInvalidArgument if the server cannot run this scorer, or a parameter is invalid.
Result<std::unique_ptr<const Scorer>> makeScorer(std::string_view object, const ScorerPorts& ports);

}  // namespace spindle::evaluation
