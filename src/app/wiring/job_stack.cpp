#include "app/wiring/job_stack.h"

#include <utility>

#include "app/wiring/log.h"
#include "evaluation/runner/evaluation_job_payload.h"

namespace spindle::app {
namespace {

constexpr std::size_t kRunsAtATime = 2;
constexpr std::size_t kScoringsAtATime = 2;
constexpr std::size_t kBulkJobsAtATime = 2;
constexpr std::chrono::hours kJobRetention{24 * 30};

evaluation::ObjectPorts objectPorts(ObjectStack& objects, TracingStack& tracing) {
  return {objects.objects, objects.tables, tracing.services().ref_projects};
}

jobs::JobRunnerOptions runnerOptions(std::string_view kind,
                                     std::size_t threads,
                                     const IdentityStack& identity) {
  return {.kind = std::string(kind), .worker = identity.membership.id(), .threads = threads};
}

}  // namespace

JobStack::JobStack(const StackContext& context,
                   IdentityStack& identity,
                   ObjectStack& objects,
                   TracingStack& tracing,
                   EvaluationStack& evaluations,
                   inference::Gateway& gateway)
    : identity_(identity),
      tracing_(tracing),
      clock_(context.clock),
      queue_(*identity.database, {clock_, identity.schedule}),
      client_({.connections_per_origin =
                   static_cast<std::size_t>(context.settings.evaluation.concurrency) *
                       (kRunsAtATime + kBulkJobsAtATime) +
                   kScoringsAtATime,
               .ca_file = {}}),
      upstream_(client_,
                {context.settings.evaluation.upstream_url, context.settings.evaluation.upstream_key,
                 context.settings.evaluation.upstream_timeout}),
      gateway_(gateway, identity.access, identity.keys, upstream_),
      retried_(gateway_, {.retries = static_cast<int>(context.settings.evaluation.retries)}),
      model_(retried_, tracing.spans(), tracing.services().retention, clock_),
      evaluation_runner_({identity.access, evaluations.recorder, tracing.services().calls,
                          objectPorts(objects, tracing), model_, clock_},
                         {static_cast<std::size_t>(context.settings.evaluation.concurrency)}),
      runs_(queue_,
            runnerOptions(evaluation::kRunJob, kRunsAtATime, identity),
            [this](jobs::JobContext& job) { return evaluation_runner_.run(job); }),
      scorings_(queue_,
                runnerOptions(evaluation::kScoringJob, kScoringsAtATime, identity),
                [this](jobs::JobContext& job) { return evaluation_runner_.scoreCalls(job); }),
      evaluation_jobs_({.queue = queue_,
                        .recorder = evaluations.recorder,
                        .calls = tracing.services().calls,
                        .objects = objectPorts(objects, tracing),
                        .model = model_,
                        .clock = clock_,
                        .wake =
                            [this] {
                              runs_.wake();
                              scorings_.wake();
                            }}),
      bulk_repository_(*identity.database, clock_),
      delete_action_(tracing.calls(), identity.audit_trail),
      queue_action_(tracing.calls(), tracing.services().queues, tracing.services().queue_items),
      dataset_action_({tracing.calls(), objects.objects, objects.tables,
                       [this](std::string_view user_id) { return tracing_.refProjects(user_id); }}),
      bulk_scoring_({identity.access, evaluations.recorder, tracing.services().calls,
                     objectPorts(objects, tracing), model_, clock_},
                    {static_cast<std::size_t>(context.settings.evaluation.concurrency)}),
      bulk_runner_(bulkPorts()),
      bulk_(queue_,
            runnerOptions(tracing::kBulkJob, kBulkJobsAtATime, identity),
            [this](jobs::JobContext& job) { return bulk_runner_.run(job); }),
      bulk_jobs_(bulkPorts()) {
  identity.database->subscribe(storage::Database::kInsertedTopic, [this](std::string_view table) {
    if (!table.empty() && table != "jobs") return;
    runs_.wake();
    scorings_.wake();
    bulk_.wake();
  });
}

tracing::BulkPorts JobStack::bulkPorts() {
  using Kind = tracing::BulkActionKind;
  return {
      .access = identity_.access,
      .calls = tracing_.calls(),
      .repository = bulk_repository_,
      .queue = queue_,
      .ref_projects = [this](std::string_view user_id) { return tracing_.refProjects(user_id); },
      .actions = {{Kind::kDelete, &delete_action_},
                  {Kind::kScore, &bulk_scoring_},
                  {Kind::kAddToQueue, &queue_action_},
                  {Kind::kAddToDataset, &dataset_action_}},
      .clock = clock_,
      .wake = [this] { bulk_.wake(); },
      .announce =
          [this](const std::string& project_id) {
            identity_.changes.publish(live::Topic::kJobs, project_id, 1, clock_.now());
          }};
}

evaluation::JobServices JobStack::services() { return {tracing_.services(), evaluation_jobs_}; }

tracing::BulkServices JobStack::bulkServices() { return {identity_.access, bulk_jobs_}; }

void JobStack::start() {
  runs_.start();
  scorings_.start();
  bulk_.start();
}

void JobStack::stop() {
  runs_.stop();
  scorings_.stop();
  bulk_.stop();
}

Result<void> JobStack::giveBackWork(const std::string& node_id) {
  TRY(queue_.releaseWorker(node_id));
  return {};
}

void JobStack::runMaintenance() {
  logFailure(queue_.removeFinished(clock_.now() - kJobRetention), "old_jobs_not_removed");
  logFailure(bulk_repository_.removeFinished(clock_.now() - kJobRetention),
             "old_bulk_jobs_not_removed");
}

}  // namespace spindle::app
