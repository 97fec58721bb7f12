#pragma once

#include <string>

#include "base/core/result.h"
#include "evaluation/scoring/scorer.h"

namespace spindle::evaluation {

class ObjectParameters;

/// The parts of an item that a scorer uses, from its `column_map`: `target` is a path in the
/// example (default: `target`), `output` is a path in the output (default: the whole output).
class ScorerColumns {
 public:
  explicit ScorerColumns(ObjectParameters& parameters);

  /// Return JSON texts. @return kInvalidArgument with the name of a missing field.
  Result<std::string> output(const ScoredItem& item) const;
  Result<std::string> target(const ScoredItem& item) const;

 private:
  std::string output_;
  std::string target_ = "target";
};

}  // namespace spindle::evaluation
