#include "app/wiring/tracing_stack.h"

#include <string>
#include <utility>
#include <vector>

#include "app/server/emoji_table.h"
#include "app/wiring/log.h"
#include "feedback/feedback_json.h"
#include "objects/store/caller_projects.h"
#include "tracing/ingest/object_media_store.h"
#include "tracing/store/call_measure.h"

namespace spindle::app {
namespace {

/// Rare, because it scans every project and resources are small.
constexpr std::chrono::hours kResourceSweepInterval{6};

feedback::FeedbackValidatorPorts feedbackValidatorPorts(const feedback::EmojiNames& emoji,
                                                        objects::ObjectRepository& objects,
                                                        tracing::AnnotationQueueRepository& queues,
                                                        const Clock& clock) {
  return {
      .clock = clock,
      .emoji = emoji,
      .object_value = [&objects](std::string_view project, std::string_view object,
                                 std::string_view version) -> Result<std::string> {
        objects::ObjectVersion found = TRY(objects.find(project, object, version, true));
        return std::move(found.value);
      },
      .queue_exists = [&queues](std::string_view project,
                                std::string_view queue) { return queues.exists(project, queue); }};
}

/// Returns the feedback of calls: a JSON array by call id.
Result<std::unordered_map<std::string, std::string>> feedbackOfCalls(
    const feedback::FeedbackStore& store,
    std::string_view project_id,
    const std::vector<std::string>& call_ids,
    wire::Spelling spelling) {
  const auto found = store.ofTargets(project_id, feedback::kCallTarget, call_ids);
  if (!found) return found.error();
  std::unordered_map<std::string, std::string> lists;
  for (const auto& [id, list] : *found) lists[id] = feedback::embeddedFeedback(list, spelling);
  return lists;
}

}  // namespace

TracingStack::TracingStack(const StackContext& context,
                           IdentityStack& identity,
                           ObjectStack& objects,
                           pricing::PriceCache& prices,
                           TraceStoreStack& stores)
    : identity_(identity),
      objects_(objects),
      prices_(prices),
      clock_(context.clock),
      limits_{context.settings.limits.stored_request,
              static_cast<std::size_t>(context.settings.limits.stored_growth)},
      stores_(stores),
      retention_(*identity.database, clock_),
      queues_(*identity.database, clock_),
      emoji_(builtInEmojiNames()),
      feedback_(stores.stores().feedback()),
      feedback_validator_(feedbackValidatorPorts(emoji_, objects.objects, queues_, clock_)),
      calls_(stores.stores().calls()),
      spans_(stores.stores().spans()) {}

tracing::TracingServices TracingStack::services() {
  return {
      .access = identity_.access,
      .users = identity_.users,
      .calls = calls_,
      .retention = retention_,
      .queues = queues_,
      .queue_items = stores_.queueItems(),
      .ref_values = stores_.refValues(),
      .ref_projects = [this](std::string_view user_id) { return refProjects(user_id); },
      .media_store =
          [this](std::string_view user_id, const tracing::ProjectScope& project,
                 wire::Spelling spelling) {
            return std::make_unique<tracing::ObjectMediaStore>(
                objects_.files, objects_.objects,
                tracing::ObjectMediaStore::Owner{project.id, std::string(user_id), spelling});
          },
      .prices = [this](std::string_view project_id) { return prices_.forProject(project_id); },
      .feedback =
          [this](const tracing::ProjectScope& project, const std::vector<std::string>& call_ids,
                 wire::Spelling spelling) {
            return feedbackOfCalls(feedback_, project.id, call_ids, spelling);
          },
      .sizes = {.objects = [this](std::string_view id) { return objects_.objects.storageSize(id); },
                .tables = [this](std::string_view id) { return objects_.tables.storageSize(id); },
                .files = [this](std::string_view id) { return objects_.files.storageSize(id); }},
      .clock = clock_,
      .audit = identity_.audit_trail,
      .limits = limits_,
  };
}

feedback::FeedbackServices TracingStack::feedbackServices() {
  return {.access = identity_.access,
          .store = feedback_,
          .feedback_validator = feedback_validator_,
          .ref_projects = [this](std::string_view user_id) { return refProjects(user_id); },
          .clock = clock_,
          .audit = identity_.audit_trail};
}

std::unique_ptr<objects::RefProjects> TracingStack::refProjects(std::string_view user_id) {
  return std::make_unique<objects::CallerProjects>(identity_.access, identity_.projects, user_id);
}

Result<std::optional<double>> TracingStack::measure(const std::string& project_id,
                                                    std::string_view measure,
                                                    Timestamp from,
                                                    Timestamp to) {
  const std::shared_ptr<const pricing::ProjectPrices> prices = TRY(prices_.forProject(project_id));
  std::unique_ptr<tracing::CallView> view = TRY(calls_.view({project_id, {}}));
  return tracing::measureCalls(*view, measure, from, to, prices.get());
}

void TracingStack::runMaintenance() {
  logCount(
      calls_.removeExpired(clock_.now()),
      {.failed = "expired_calls_not_removed", .done = "expired_calls_removed", .field = "calls"});
  logCount(
      spans_.removeExpired(clock_.now()),
      {.failed = "expired_spans_not_removed", .done = "expired_spans_removed", .field = "spans"});
  removeUnusedResources();
}

void TracingStack::removeUnusedResources() {
  const auto now = std::chrono::steady_clock::now();
  if (next_resource_sweep_ && now < *next_resource_sweep_) return;
  next_resource_sweep_ = now + kResourceSweepInterval;
  const Result<std::int64_t> removed = stores_.stores().removeUnusedResources();
  logCount(removed, {.failed = "unused_resources_not_removed",
                     .done = "unused_resources_removed",
                     .field = "resources"});
}

}  // namespace spindle::app
