#pragma once

#include <string>

#include "base/result.h"
#include "evaluation/scorer.h"

namespace spindle::evaluation {

class ObjectParameters;

/// Which parts of an item a scorer looks at, as its `column_map` says: `target` is a path in the
/// example (`target` when it is left out), `output` one in the output (the whole).
class ScorerColumns {
 public:
  explicit ScorerColumns(ObjectParameters& parameters);

  /// JSON texts. @return kInvalidArgument naming what is not there.
  Result<std::string> output(const ScoredItem& item) const;
  Result<std::string> target(const ScoredItem& item) const;

 private:
  std::string output_;
  std::string target_ = "target";
};

}  // namespace spindle::evaluation
