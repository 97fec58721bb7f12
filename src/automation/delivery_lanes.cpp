#include "automation/delivery_lanes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "automation/webhook.h"

namespace spindle::automation {

void DeliveryLanes::due(const std::string& webhook_id, std::optional<Timestamp> when) {
  const auto lane = lanes_.find(webhook_id);
  if (lane == lanes_.end()) {
    if (when) lanes_[webhook_id].due = when;
    return;
  }
  lane->second.due = when;
  if (!when && lane->second.in_flight == 0 && !lane->second.throttled_until) lanes_.erase(lane);
}

void DeliveryLanes::dueAtLatest(const std::string& webhook_id, Timestamp when) {
  Lane& lane = lanes_[webhook_id];
  lane.due = std::min(lane.due.value_or(when), when);
}

void DeliveryLanes::started(const std::string& webhook_id) {
  Lane& lane = lanes_[webhook_id];
  ++lane.in_flight;
  lane.served = ++count_;
  ++in_flight_;
}

void DeliveryLanes::ended(const std::string& webhook_id) {
  Lane& lane = lanes_[webhook_id];
  --lane.in_flight;
  lane.full = false;
  --in_flight_;
}

void DeliveryLanes::throttle(const std::string& webhook_id, Timestamp until) {
  lanes_[webhook_id].throttled_until = until;
}

void DeliveryLanes::full(const std::string& webhook_id) { lanes_[webhook_id].full = true; }

std::vector<LaneQuota> DeliveryLanes::plan(Timestamp now,
                                           const std::vector<std::string>& fresh) const {
  std::vector<std::pair<std::uint64_t, LaneQuota>> waiting;
  const auto add = [&](const std::string& webhook_id, const Lane& lane) {
    if (lane.full) return;
    const bool throttled = lane.throttled_until && now < *lane.throttled_until;
    waiting.emplace_back(lane.served, LaneQuota{webhook_id, 0, lane.in_flight, throttled});
  };
  for (const auto& [webhook_id, lane] : lanes_) {
    if (lane.due && *lane.due <= now) add(webhook_id, lane);
  }
  for (const std::string& webhook_id : fresh) {
    const auto known = lanes_.find(webhook_id);
    const Lane lane = known == lanes_.end() ? Lane() : known->second;
    if (!lane.due || *lane.due > now) add(webhook_id, lane);
  }
  std::sort(waiting.begin(), waiting.end(), [](const auto& one, const auto& other) {
    return std::tie(one.first, one.second.webhook_id) <
           std::tie(other.first, other.second.webhook_id);
  });
  int left = total_ - in_flight_;
  for (bool given = true; given && left > 0;) {
    given = false;
    for (auto& [served, lane] : waiting) {
      if (left == 0) break;
      if (lane.in_flight + lane.quota >= kMaxConcurrency) continue;
      ++lane.quota;
      --left;
      given = true;
    }
  }
  std::vector<LaneQuota> plan;
  for (auto& [served, lane] : waiting) {
    if (lane.quota > 0) plan.push_back(std::move(lane));
  }
  return plan;
}

std::optional<Timestamp> DeliveryLanes::nextDue() const {
  std::optional<Timestamp> next;
  if (in_flight_ >= total_) return next;
  for (const auto& [webhook_id, lane] : lanes_) {
    if (lane.due && !lane.full) next = std::min(next.value_or(*lane.due), *lane.due);
  }
  return next;
}

bool DeliveryLanes::isAwaited(const std::string& webhook_id, Timestamp now) const {
  const auto is_due = [now](const Lane& lane) { return lane.due && *lane.due <= now; };
  const auto own = lanes_.find(webhook_id);
  if (own != lanes_.end() && own->second.full && is_due(own->second)) return true;
  if (in_flight_ < total_) return false;
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [&](const auto& entry) { return !entry.second.full && is_due(entry.second); });
}

}  // namespace spindle::automation
