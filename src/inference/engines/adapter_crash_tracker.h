#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "inference/engines/engine_host.h"

namespace spindle::inference {

/// Decides which adapters to quarantine after engine crashes. A single suspect is quarantined
/// immediately. If there are several suspects, each gets one strike; a second strike without a
/// successful request in between quarantines the adapter. Not thread-safe.
class AdapterCrashTracker {
 public:
  /// Records that an engine crashed while these adapters were being loaded or used.
  /// @return the adapters to quarantine.
  std::vector<AdapterFile> crashed(const std::vector<AdapterFile>& suspects);
  /// Records that a request with the adapter succeeded.
  void succeeded(const std::string& name) { strikes_.erase(name); }

  bool isQuarantined(const std::string& name) const { return quarantined_.contains(name); }
  /// Drops the in-memory entry after the quarantine has been stored in the database.
  void recorded(const std::string& name) { quarantined_.erase(name); }

 private:
  std::map<std::string, int> strikes_;
  std::set<std::string> quarantined_;
};

}  // namespace spindle::inference
