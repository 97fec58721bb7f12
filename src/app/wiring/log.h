#pragma once

#include <cstdint>
#include <string_view>

#include "base/core/log.h"
#include "base/core/result.h"

namespace spindle::app {

/// Logger of the area `app`, for the source files of this room.
inline constexpr Logger kLog("app");

/// Logs the reason as a warning if the work failed.
template <class T>
void logFailure(const Result<T>& work, std::string_view event) {
  if (!work) kLog.warning(event, {{"reason", work.error().message()}});
}

/// The events of work that removes or changes items.
struct CountEvents {
  std::string_view failed;
  std::string_view done;
  std::string_view field = "count";  ///< name of the number of items
};

/// Logs the reason if the work failed, or the number of items if there were any.
inline void logCount(const Result<std::int64_t>& work, const CountEvents& events) {
  logFailure(work, events.failed);
  if (work && *work > 0) kLog.info(events.done, {{events.field, *work}});
}

}  // namespace spindle::app
