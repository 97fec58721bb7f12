#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/mutex.h"
#include "base/core/result.h"

namespace spindle::agents {

/// Publishes the ops that calls from spans refer to. A span has a name but no source code, so each
/// name has a placeholder op. Thread-safe; blocks for a new name.
class OpPlaceholders {
 public:
  /// Publishes an op with this id unless it exists; returns its digest.
  using Publish = std::function<Result<std::string>(
      std::string_view project_id, std::string_view object_id, std::string_view user_id)>;

  explicit OpPlaceholders(Publish publish) : publish_(std::move(publish)) {}

  /// Returns the internal reference to the op with this name. @return the errors of Publish.
  Result<std::string> refFor(std::string_view project_id,
                             std::string_view name,
                             std::string_view user_id);

 private:
  /// Limit of cached names. An ordinary application has few; the cache is cleared at the limit.
  static constexpr std::size_t kMaxKnown = 10'000;

  const Publish publish_;
  Mutex mutex_;
  std::unordered_map<std::string, std::string> known_ SPINDLE_GUARDED_BY(mutex_);
};

/// Returns the name, shortened to at most `limit` characters. A longer name is cut, between words
/// if possible, and ends in `:` and four hex digits of its hash, which keep shortened names
/// distinct.
std::string shortenedName(std::string_view name, std::size_t limit);

}  // namespace spindle::agents
