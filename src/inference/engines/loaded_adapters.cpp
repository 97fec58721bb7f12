#include "inference/engines/loaded_adapters.h"

#include <algorithm>

namespace spindle::inference {

LoadedAdapters::Decision LoadedAdapters::nextAction(const std::string& name, Time now) {
  const auto known = adapters_.find(name);
  if (known != adapters_.end()) {
    known->second.last_used = now;
    return {known->second.state == State::kReady ? Action::kReady : Action::kWait};
  }
  if (adapters_.size() < most_) {
    adapters_[name].last_used = now;
    return {Action::kLoad};
  }
  std::map<std::string, Adapter>::iterator oldest = adapters_.end();
  for (auto each = adapters_.begin(); each != adapters_.end(); ++each) {
    if (each->second.state != State::kReady) return {Action::kWait};
    if (each->second.users > 0) continue;
    if (oldest == adapters_.end() || each->second.last_used < oldest->second.last_used) {
      oldest = each;
    }
  }
  if (oldest == adapters_.end()) return {Action::kFull};
  oldest->second.state = State::kDropping;
  return {Action::kDrop, oldest->first};
}

void LoadedAdapters::loaded(const std::string& name) {
  const auto known = adapters_.find(name);
  if (known != adapters_.end()) known->second.state = State::kReady;
}

void LoadedAdapters::removed(const std::string& name) { adapters_.erase(name); }

void LoadedAdapters::take(const std::string& name, Time now) {
  Adapter& adapter = adapters_[name];
  ++adapter.users;
  adapter.last_used = now;
}

void LoadedAdapters::release(const std::string& name, Time now) {
  const auto known = adapters_.find(name);
  if (known == adapters_.end() || known->second.users == 0) return;
  --known->second.users;
  known->second.last_used = now;
}

std::vector<std::string> LoadedAdapters::names() const {
  std::vector<std::string> ready;
  for (const auto& [name, adapter] : adapters_) {
    if (adapter.state == State::kReady) ready.push_back(name);
  }
  return ready;
}

std::vector<std::string> LoadedAdapters::inUse() const {
  std::vector<std::string> used;
  for (const auto& [name, adapter] : adapters_) {
    if (adapter.state == State::kLoading || adapter.users > 0) used.push_back(name);
  }
  return used;
}

}  // namespace spindle::inference
