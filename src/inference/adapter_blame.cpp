#include "inference/adapter_blame.h"

namespace spindle::inference {
namespace {

constexpr int kMostStrikes = 2;

}  // namespace

std::vector<AdapterFile> AdapterBlame::crashed(const std::vector<AdapterFile>& suspects) {
  std::vector<AdapterFile> guilty;
  for (const AdapterFile& adapter : suspects) {
    const int strikes = suspects.size() == 1 ? kMostStrikes : ++strikes_[adapter.name];
    if (strikes < kMostStrikes) continue;
    strikes_.erase(adapter.name);
    quarantined_.insert(adapter.name);
    guilty.push_back(adapter);
  }
  return guilty;
}

}  // namespace spindle::inference
