#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::inference {

/// Which adapters one engine has in its memory, and which goes when there are too many. Knows no
/// process: it says what to do and is told what came of it. Not thread-safe.
class AdapterShelf {
 public:
  using Time = std::chrono::steady_clock::time_point;

  enum class Next {
    kReady,  ///< it can be used
    kLoad,   ///< it is to be loaded now; loaded() or removed() says how that ended
    kDrop,   ///< another has to be dropped first; removed() says when it is
    kWait,   ///< something is under way; ask again after it
    kFull,   ///< all are in use
  };
  struct Answer {
    Next next = Next::kWait;
    std::string drop = {};  ///< whom, for kDrop
  };

  /// @param most how many fit
  explicit AdapterShelf(std::size_t most) : most_(most) {}

  /// Somebody wants to use an adapter.
  Answer want(const std::string& name, Time now);
  void loaded(const std::string& name);
  /// It was dropped, or could not be loaded.
  void removed(const std::string& name);
  void clear() { adapters_.clear(); }

  /// One more uses it, of one that is ready.
  void take(const std::string& name, Time now);
  void release(const std::string& name, Time now);

  /// Those that are ready, by name.
  std::vector<std::string> names() const;
  /// Those that are being loaded or that requests use, by name.
  std::vector<std::string> inUse() const;

 private:
  enum class State { kLoading, kReady, kDropping };
  struct Adapter {
    State state = State::kLoading;
    std::size_t users = 0;
    Time last_used;
  };

  std::size_t most_;
  std::map<std::string, Adapter> adapters_;
};

}  // namespace spindle::inference
