#include "automation/api/delivery_service.h"

#include <map>
#include <utility>

#include "automation/webhooks/webhook_client.h"

namespace spindle::automation {
namespace {

constexpr std::chrono::hours kStatisticsPeriod{24};

Result<bool> seesAll(const Scope& /*scope*/) { return true; }

}  // namespace

using identity::Page, identity::PageRequest, identity::TeamAccess;

Result<void> DeliveryService::hideUrls(std::string_view user_id,
                                       std::vector<Delivery>& deliveries) {
  std::map<std::string, bool> known;
  for (Delivery& delivery : deliveries) {
    if (!delivery.url) continue;
    auto whole = known.find(delivery.webhook_team);
    if (whole == known.end()) {
      const Result<TeamAccess> team = ports_.access.requireInTeam(
          user_id, delivery.webhook_team, identity::Action::kManageWebhooks);
      if (!team && team.error().code() == ErrorCode::kUnavailable) return team.error();
      whole = known.emplace(delivery.webhook_team, team.has_value()).first;
    }
    if (!whole->second) delivery.url = hostOf(*delivery.url);
  }
  return {};
}

Result<Page<Delivery>> DeliveryService::withVisibleUrls(std::string_view user_id,
                                                        Result<Page<Delivery>> page) {
  if (!page) return page;
  TRY(hideUrls(user_id, page->items));
  return page;
}

Result<Page<Delivery>> DeliveryService::list(std::string_view user_id,
                                             const DeliveryFilter& filter,
                                             const PageRequest& page) {
  return withVisibleUrls(user_id, ports_.deliveries.list(filter, scopes_.seenBy(user_id), page));
}

Result<Page<Delivery>> DeliveryService::listOfTeam(std::string_view user_id,
                                                   std::string_view team,
                                                   const DeliveryFilter& filter,
                                                   const PageRequest& page) {
  const Result<TeamAccess> access = ports_.access.findTeam(user_id, team);
  if (!access && access.error().code() == ErrorCode::kNotFound) return Page<Delivery>();
  if (!access) return access.error();
  DeliveryFilter of_team = filter;
  of_team.team_id = access->team_id;
  return list(user_id, of_team, page);
}

Result<Page<Delivery>> DeliveryService::listOfAutomation(std::string_view user_id,
                                                         std::string_view automation_id,
                                                         const DeliveryFilter& filter,
                                                         const PageRequest& page) {
  const Automation automation = TRY(ports_.automations.find(automation_id));
  TRY(scopes_.requireView(user_id, automation.draft.scope));
  DeliveryFilter of_automation = filter;
  of_automation.automation_id = automation_id;
  // Deliveries from an earlier scope of the automation need the permission in that scope.
  return list(user_id, of_automation, page);
}

Result<Page<Delivery>> DeliveryService::listOfWebhook(std::string_view user_id,
                                                      std::string_view team,
                                                      std::string_view webhook_id,
                                                      const DeliveryFilter& filter,
                                                      const PageRequest& page) {
  const TeamAccess access =
      TRY(ports_.access.requireInTeam(user_id, team, identity::Action::kListWebhooks));
  TRY(ports_.webhooks.find({access.team_id, webhook_id}));
  DeliveryFilter to_webhook = filter;
  to_webhook.webhook_id = webhook_id;
  if (!allows(identity::Action::kManageWebhooks, access.roles))
    return list(user_id, to_webhook, page);
  return withVisibleUrls(user_id, ports_.deliveries.list(to_webhook, seesAll, page));
}

Result<DeliveryService::Statistics> DeliveryService::statistics(std::string_view user_id,
                                                                std::string_view team,
                                                                std::optional<Timestamp> since) {
  const TeamAccess access =
      TRY(ports_.access.requireInTeam(user_id, team, identity::Action::kListWebhooks));
  const SeesScope sees = allows(identity::Action::kManageWebhooks, access.roles)
                             ? SeesScope(seesAll)
                             : scopes_.seenBy(user_id);
  const Timestamp start = since.value_or(ports_.clock.now() - kStatisticsPeriod);
  std::vector<WebhookStatistics> webhooks =
      TRY(ports_.statistics.ofTeam(access.team_id, start, sees));
  return Statistics{start, std::move(webhooks)};
}

Result<Delivery> DeliveryService::findVisible(std::string_view user_id, std::string_view id) {
  Delivery delivery = TRY(ports_.deliveries.find(id));
  if (!TRY(scopes_.sees(user_id, delivery.scope))) return Error::notFound("Delivery not found");
  return delivery;
}

Result<DeliveryRecord> DeliveryService::recordOf(std::string_view user_id, Delivery delivery) {
  std::vector<DeliveryAttempt> attempts = TRY(ports_.deliveries.attempts(delivery));
  std::vector<Delivery> one;
  one.push_back(std::move(delivery));
  TRY(hideUrls(user_id, one));
  return DeliveryRecord{std::move(one.front()), std::move(attempts)};
}

Result<DeliveryRecord> DeliveryService::find(std::string_view user_id, std::string_view id) {
  Delivery delivery = TRY(findVisible(user_id, id));
  return recordOf(user_id, std::move(delivery));
}

Result<DeliveryRecord> DeliveryService::replay(std::string_view user_id,
                                               std::string_view id,
                                               bool use_current) {
  const Delivery delivery = TRY(findVisible(user_id, id));
  TRY(scopes_.requireReplay(user_id, delivery.scope));
  Delivery again =
      TRY(use_current ? ports_.deliveries.replayCurrent(id) : ports_.deliveries.replay(id));
  if (again.webhook_id) ports_.notify_due(*again.webhook_id);
  return recordOf(user_id, std::move(again));
}

Result<DeliveryRecord> DeliveryService::cancel(std::string_view user_id, std::string_view id) {
  const Delivery delivery = TRY(findVisible(user_id, id));
  TRY(scopes_.requireReplay(user_id, delivery.scope));
  Delivery cancelled = TRY(ports_.deliveries.cancel(id));
  return recordOf(user_id, std::move(cancelled));
}

Result<std::int64_t> DeliveryService::recover(std::string_view user_id,
                                              std::string_view team,
                                              std::string_view webhook_id,
                                              Timestamp since,
                                              std::optional<Timestamp> until) {
  const TeamAccess access =
      TRY(ports_.access.requireInTeam(user_id, team, identity::Action::kManageWebhooks));
  const Webhook webhook = TRY(ports_.webhooks.find({access.team_id, webhook_id}));
  Result<std::int64_t> recovered = ports_.deliveries.recover(webhook_id, since, until);
  if (recovered && *recovered > 0) ports_.notify_due(webhook.id);
  return recovered;
}

}  // namespace spindle::automation
