#include "automation/deliveries/webhook_quotas.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "automation/webhooks/webhook.h"

namespace spindle::automation {
namespace {

/// A quota with the sequence number of the last request to its webhook.
using ServedQuota = std::pair<std::uint64_t, WebhookQuota>;

/// Gives out `left` requests in turns of one for each webhook, up to the maximum concurrency of
/// each.
void shareEvenly(std::vector<ServedQuota>& waiting, int left) {
  for (bool given = true; given && left > 0;) {
    given = false;
    for (auto& [served, entry] : waiting) {
      if (left == 0) break;
      if (entry.in_flight + entry.quota >= kMaxConcurrency) continue;
      ++entry.quota;
      --left;
      given = true;
    }
  }
}

}  // namespace

void WebhookQuotas::due(const std::string& webhook_id, std::optional<Timestamp> when) {
  const auto entry = webhooks_.find(webhook_id);
  if (entry == webhooks_.end()) {
    if (when) webhooks_[webhook_id].due = when;
    return;
  }
  entry->second.due = when;
  if (!when && entry->second.in_flight == 0 && !entry->second.throttled_until)
    webhooks_.erase(entry);
}

void WebhookQuotas::dueAtLatest(const std::string& webhook_id, Timestamp when) {
  Entry& entry = webhooks_[webhook_id];
  entry.due = std::min(entry.due.value_or(when), when);
}

void WebhookQuotas::started(const std::string& webhook_id) {
  Entry& entry = webhooks_[webhook_id];
  ++entry.in_flight;
  entry.served = ++count_;
  ++in_flight_;
}

void WebhookQuotas::ended(const std::string& webhook_id) {
  Entry& entry = webhooks_[webhook_id];
  --entry.in_flight;
  entry.full = false;
  --in_flight_;
}

void WebhookQuotas::throttle(const std::string& webhook_id, Timestamp until) {
  webhooks_[webhook_id].throttled_until = until;
}

void WebhookQuotas::full(const std::string& webhook_id) { webhooks_[webhook_id].full = true; }

std::vector<WebhookQuota> WebhookQuotas::plan(Timestamp now,
                                              const std::vector<std::string>& fresh) const {
  std::vector<ServedQuota> waiting;
  const auto add = [&](const std::string& webhook_id, const Entry& entry) {
    if (entry.full) return;
    const bool throttled = entry.throttled_until && now < *entry.throttled_until;
    waiting.emplace_back(entry.served, WebhookQuota{webhook_id, 0, entry.in_flight, throttled});
  };
  for (const auto& [webhook_id, entry] : webhooks_) {
    if (entry.due && *entry.due <= now) add(webhook_id, entry);
  }
  for (const std::string& webhook_id : fresh) {
    const auto known = webhooks_.find(webhook_id);
    const Entry entry = known == webhooks_.end() ? Entry() : known->second;
    if (!entry.due || *entry.due > now) add(webhook_id, entry);
  }
  std::sort(waiting.begin(), waiting.end(), [](const auto& one, const auto& other) {
    return std::tie(one.first, one.second.webhook_id) <
           std::tie(other.first, other.second.webhook_id);
  });
  shareEvenly(waiting, total_ - in_flight_);
  std::vector<WebhookQuota> plan;
  for (auto& [served, entry] : waiting) {
    if (entry.quota > 0) plan.push_back(std::move(entry));
  }
  return plan;
}

std::optional<Timestamp> WebhookQuotas::nextDue() const {
  std::optional<Timestamp> next;
  if (in_flight_ >= total_) return next;
  for (const auto& [webhook_id, entry] : webhooks_) {
    if (entry.due && !entry.full) next = std::min(next.value_or(*entry.due), *entry.due);
  }
  return next;
}

bool WebhookQuotas::isAwaited(const std::string& webhook_id, Timestamp now) const {
  const auto is_due = [now](const Entry& entry) { return entry.due && *entry.due <= now; };
  const auto own = webhooks_.find(webhook_id);
  if (own != webhooks_.end() && own->second.full && is_due(own->second)) return true;
  if (in_flight_ < total_) return false;
  return std::any_of(webhooks_.begin(), webhooks_.end(),
                     [&](const auto& entry) { return !entry.second.full && is_due(entry.second); });
}

}  // namespace spindle::automation
