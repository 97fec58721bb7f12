#include "inference/engines/adapter_crash_tracker.h"

namespace spindle::inference {
namespace {

constexpr int kMaxStrikes = 2;

}  // namespace

std::vector<AdapterFile> AdapterCrashTracker::crashed(const std::vector<AdapterFile>& suspects) {
  std::vector<AdapterFile> guilty;
  for (const AdapterFile& adapter : suspects) {
    const int strikes = suspects.size() == 1 ? kMaxStrikes : ++strikes_[adapter.name];
    if (strikes < kMaxStrikes) continue;
    strikes_.erase(adapter.name);
    quarantined_.insert(adapter.name);
    guilty.push_back(adapter);
  }
  return guilty;
}

}  // namespace spindle::inference
