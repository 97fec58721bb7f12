#include "statistics/aggregation.h"

namespace spindle::statistics {

std::string_view textOf(Aggregation aggregation) {
  switch (aggregation) {
    case Aggregation::kSum:
      return "sum";
    case Aggregation::kAvg:
      return "avg";
    case Aggregation::kMin:
      return "min";
    case Aggregation::kMax:
      return "max";
    case Aggregation::kCount:
      return "count";
    case Aggregation::kCountTrue:
      return "count_true";
    case Aggregation::kCountFalse:
      return "count_false";
  }
  return "";
}

bool isCount(Aggregation aggregation) {
  return aggregation == Aggregation::kCount || aggregation == Aggregation::kCountTrue ||
         aggregation == Aggregation::kCountFalse;
}

}  // namespace spindle::statistics
