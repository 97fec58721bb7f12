#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "inference/engine_host.h"

namespace spindle::inference {

/// Decides which adapters are quarantined after crashes of engines. A single suspect is, at once.
/// Of several each gets a strike: the second one in a row, with no request in between that ended
/// well, quarantines it. Not thread-safe.
class AdapterBlame {
 public:
  /// An engine crashed while these adapters were loaded or used. @return those to quarantine
  std::vector<AdapterFile> crashed(const std::vector<AdapterFile>& suspects);
  /// A request with the adapter ended well.
  void succeeded(const std::string& name) { strikes_.erase(name); }

  bool isQuarantined(const std::string& name) const { return quarantined_.contains(name); }
  /// The quarantine is on record: it need not be kept here.
  void recorded(const std::string& name) { quarantined_.erase(name); }

 private:
  std::map<std::string, int> strikes_;
  std::set<std::string> quarantined_;
};

}  // namespace spindle::inference
