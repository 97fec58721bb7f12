#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tracing/call_selection.h"

namespace spindle::evaluation {

class ModelPort;

/// What is scored, as JSON texts: a row of a dataset (or the inputs of a call), and what came out.
struct ScoredItem {
  std::string_view example;
  std::string_view output;
};

/// What a scorer says.
struct ScoreOutcome {
  std::string value = "null";                 ///< JSON
  std::optional<std::string> exception = {};  ///< why there is no value
  std::string summary = "{}";                 ///< `{"usage": …}` of a scorer that asks a model
};

/// A scorer that the server runs itself. Immutable, thread-safe.
class Scorer {
 public:
  virtual ~Scorer() = default;

  /// May block for as long as a model takes. What cannot be scored is an outcome with an exception.
  /// @return kUnavailable when it was stopped: then nothing was scored.
  virtual Result<ScoreOutcome> score(const ScoredItem& item, const std::stop_token& stop) const = 0;
};

/// What scorers that ask a model work with. The port outlives the scorer.
struct ScorerPorts {
  ModelPort& model;
  tracing::ProjectScope project;
  std::string user_id = {};  ///< on whose behalf models are asked
  std::string key_id = {};
};

/// The scorer that an object describes (docs/evaluation_jobs.md): its `kind` and its parameters.
/// `object` must be valid JSON.
/// @return kInvalidArgument when the server cannot run it, or a parameter is wrong.
Result<std::unique_ptr<const Scorer>> makeScorer(std::string_view object, const ScorerPorts& ports);

}  // namespace spindle::evaluation
