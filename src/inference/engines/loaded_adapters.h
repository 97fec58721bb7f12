#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::inference {

/// Tracks the adapters in the memory of one engine and selects the one to unload when the limit is
/// reached. It starts no operation itself: it returns the next action, and the caller reports the
/// result. Not thread-safe.
class LoadedAdapters {
 public:
  using Time = std::chrono::steady_clock::time_point;

  enum class Action {
    kReady,  ///< the adapter can be used
    kLoad,   ///< load the adapter now, then report loaded() or removed()
    kDrop,   ///< unload another adapter first, then report removed()
    kWait,   ///< an operation is in progress; ask again after it
    kFull,   ///< all loaded adapters are in use
  };
  struct Decision {
    Action next = Action::kWait;
    std::string drop = {};  ///< for kDrop: the adapter to unload
  };

  /// @param most the maximum number of loaded adapters.
  explicit LoadedAdapters(std::size_t most) : most_(most) {}

  /// Returns the next action for a request that needs the adapter.
  Decision nextAction(const std::string& name, Time now);
  void loaded(const std::string& name);
  /// Reports that the adapter was unloaded or could not be loaded.
  void removed(const std::string& name);
  void clear() { adapters_.clear(); }

  /// Adds one user to an adapter that is ready.
  void take(const std::string& name, Time now);
  void release(const std::string& name, Time now);

  /// Returns the adapters that are ready, sorted by name.
  std::vector<std::string> names() const;
  /// Returns the adapters that are being loaded or that requests use, sorted by name.
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
