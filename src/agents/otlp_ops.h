#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "base/result.h"

namespace spindle::agents {

/// The ops that calls made of spans refer to: spans name what they do but bring no source, so each
/// name has an op that only stands for it. Thread-safe; blocks where a name is new.
class OpPlaceholders {
 public:
  /// Publishes an op of that id unless it is there; returns its digest.
  using Publish = std::function<Result<std::string>(
      std::string_view project_id, std::string_view object_id, std::string_view user_id)>;

  explicit OpPlaceholders(Publish publish) : publish_(std::move(publish)) {}

  /// The internal reference to the op of that name. @return what publishing returns.
  Result<std::string> refFor(std::string_view project_id,
                             std::string_view name,
                             std::string_view user_id);

 private:
  /// Names are few in a sane application; an insane one is not kept in memory.
  static constexpr std::size_t kMaxKnown = 10'000;

  const Publish publish_;
  Mutex mutex_;
  std::unordered_map<std::string, std::string> known_ SPINDLE_GUARDED_BY(mutex_);
};

/// A name of at most `limit` characters: a longer one is cut, where possible between words, and
/// ends in `:` and four digits that tell it from others cut at the same place.
std::string shortenedName(std::string_view name, std::size_t limit);

}  // namespace spindle::agents
