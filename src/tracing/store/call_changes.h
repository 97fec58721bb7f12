#pragma once

#include <functional>
#include <string_view>

namespace spindle::live {
class ChangeLog;
}

namespace spindle::tracing {

/// The recipient of the changes of calls.
struct CallChanges {
  live::ChangeLog* log = nullptr;  ///< null: nobody follows changes
  /// Returns true for an op of an evaluation run, whose calls also change the topic `evaluations`.
  std::function<bool(std::string_view op_name)> is_evaluation = {};
};

}  // namespace spindle::tracing
