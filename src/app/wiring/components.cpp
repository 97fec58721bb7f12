#include "app/wiring/components.h"

#include <algorithm>
#include <stdexcept>

namespace spindle::app {

void Components::add(Component component) {
  const bool taken = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.component.name == component.name;
  });
  if (taken) throw std::logic_error("two components are named " + component.name);
  entries_.push_back({std::move(component)});
}

void Components::start() {
  try {
    for (Entry& entry : entries_) {
      if (!entry.component.lifecycle) continue;
      entry.component.lifecycle->start();
      entry.started = true;
    }
  } catch (...) {
    stop();
    throw;
  }
}

void Components::maintain(MaintenanceScope scope) {
  for (const Entry& entry : entries_) {
    const std::optional<Maintenance>& maintenance = entry.component.maintenance;
    if (!maintenance || maintenance->scope != scope) continue;
    if (maintenance->skip_during_backup) {
      unless_held_(maintenance->run);
    } else {
      maintenance->run();
    }
  }
}

void Components::stop() {
  for (const StopPhase phase :
       {StopPhase::kBeforeRequests, StopPhase::kRequests, StopPhase::kAfterRequests}) {
    for (Entry& entry : entries_) {
      if (!entry.started || entry.component.lifecycle->phase != phase) continue;
      entry.started = false;
      entry.component.lifecycle->stop();
    }
  }
}

}  // namespace spindle::app
