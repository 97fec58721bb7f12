#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automation/deliveries/delivery_repository.h"
#include "automation/deliveries/delivery_statistics.h"
#include "automation/rules/automation_repository.h"
#include "automation/rules/scope_access.h"
#include "automation/webhooks/webhook_repository.h"
#include "identity/access/access.h"

namespace spindle::automation {

struct DeliveryRecord {
  Delivery delivery;
  std::vector<DeliveryAttempt> attempts;
};

/// The log of deliveries, with permission checks. Users who do not manage a webhook see only the
/// host of its URL. Thread-safe; blocks on the database.
class DeliveryService {
 public:
  struct Ports {
    DeliveryRepository& deliveries;
    DeliveryStatistics& statistics;
    AutomationRepository& automations;
    WebhookRepository& webhooks;
    identity::Access& access;
    /// Called when a delivery to a webhook has become due.
    std::function<void(const std::string& webhook_id)> notify_due;
    const Clock& clock;
  };

  DeliveryService(Ports ports, const ScopeAccess& scopes)
      : ports_(std::move(ports)), scopes_(scopes) {}

  /// Lists the deliveries that the caller may see, newest first.
  Result<identity::Page<Delivery>> list(std::string_view user_id,
                                        const DeliveryFilter& filter,
                                        const identity::PageRequest& page);
  /// Lists the deliveries of the automations of a team and of its projects, and those to its
  /// webhooks, as far as the caller may see them. Empty for a team that the caller cannot see.
  Result<identity::Page<Delivery>> listOfTeam(std::string_view user_id,
                                              std::string_view team,
                                              const DeliveryFilter& filter,
                                              const identity::PageRequest& page);
  /// @return kNotFound.
  Result<identity::Page<Delivery>> listOfAutomation(std::string_view user_id,
                                                    std::string_view automation_id,
                                                    const DeliveryFilter& filter,
                                                    const identity::PageRequest& page);
  /// @return kNotFound, kPermissionDenied.
  Result<identity::Page<Delivery>> listOfWebhook(std::string_view user_id,
                                                 std::string_view team,
                                                 std::string_view webhook_id,
                                                 const DeliveryFilter& filter,
                                                 const identity::PageRequest& page);
  /// @return kNotFound.
  Result<DeliveryRecord> find(std::string_view user_id, std::string_view id);

  struct Statistics {
    Timestamp since;
    std::vector<WebhookStatistics> webhooks;
  };
  /// Returns the statistics of the webhooks of a team since a time, by default of the last day.
  /// Without the permission to manage webhooks they contain only deliveries that the caller sees.
  /// @return kNotFound, kPermissionDenied.
  Result<Statistics> statistics(std::string_view user_id,
                                std::string_view team,
                                std::optional<Timestamp> since);

  /// As DeliveryRepository::replay(), or with `use_current` replayCurrent(). @return
  /// kPermissionDenied.
  Result<DeliveryRecord> replay(std::string_view user_id, std::string_view id, bool use_current);
  /// As DeliveryRepository::cancel(). @return kPermissionDenied.
  Result<DeliveryRecord> cancel(std::string_view user_id, std::string_view id);
  /// As DeliveryRepository::recover(). @return kNotFound, kPermissionDenied.
  Result<std::int64_t> recover(std::string_view user_id,
                               std::string_view team,
                               std::string_view webhook_id,
                               Timestamp since,
                               std::optional<Timestamp> until);

 private:
  Result<Delivery> findVisible(std::string_view user_id, std::string_view id);
  Result<DeliveryRecord> recordOf(std::string_view user_id, Delivery delivery);
  Result<void> hideUrls(std::string_view user_id, std::vector<Delivery>& deliveries);
  Result<identity::Page<Delivery>> withVisibleUrls(std::string_view user_id,
                                                   Result<identity::Page<Delivery>> page);

  const Ports ports_;
  ScopeAccess scopes_;
};

}  // namespace spindle::automation
