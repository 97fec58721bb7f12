#include "app/wiring/job_stack.h"

#include <utility>

#include "app/server/worker_name.h"
#include "app/wiring/log.h"
#include "evaluation/runner/evaluation_job_payload.h"

namespace spindle::app {
namespace {

constexpr std::size_t kRunsAtATime = 2;
constexpr std::size_t kScoringsAtATime = 2;
constexpr std::chrono::hours kJobRetention{24 * 30};

evaluation::ObjectPorts objectPorts(ObjectStack& objects, TracingStack& tracing) {
  return {objects.objects, objects.tables, tracing.services().ref_projects};
}

jobs::JobRunnerOptions runnerOptions(std::string_view kind,
                                     std::size_t threads,
                                     const storage::DataFolder& folder) {
  return {.kind = std::string(kind), .worker = workerName(folder), .threads = threads};
}

}  // namespace

JobStack::JobStack(const StackContext& context,
                   IdentityStack& identity,
                   ObjectStack& objects,
                   TracingStack& tracing,
                   EvaluationStack& evaluations,
                   inference::Gateway& gateway)
    : tracing_(tracing),
      clock_(context.clock),
      queue_(*identity.database, {clock_, identity.schedule}),
      client_(
          {.connections_per_origin =
               static_cast<std::size_t>(context.settings.evaluation.concurrency) * kRunsAtATime +
               kScoringsAtATime,
           .ca_file = {}}),
      upstream_(client_,
                {context.settings.evaluation.upstream_url, context.settings.evaluation.upstream_key,
                 context.settings.evaluation.upstream_timeout}),
      gateway_(gateway, identity.access, identity.keys, upstream_),
      retried_(gateway_, {.retries = static_cast<int>(context.settings.evaluation.retries)}),
      model_(retried_, tracing.spans(), tracing.services().retention, clock_),
      evaluation_runner_({evaluations.recorder, tracing.services().calls,
                          objectPorts(objects, tracing), model_, clock_},
                         {static_cast<std::size_t>(context.settings.evaluation.concurrency)}),
      runs_(queue_,
            runnerOptions(evaluation::kRunJob, kRunsAtATime, context.folder),
            [this](jobs::JobContext& job) { return evaluation_runner_.run(job); }),
      scorings_(queue_,
                runnerOptions(evaluation::kScoringJob, kScoringsAtATime, context.folder),
                [this](jobs::JobContext& job) { return evaluation_runner_.scoreCalls(job); }),
      evaluation_jobs_({.queue = queue_,
                        .recorder = evaluations.recorder,
                        .calls = tracing.services().calls,
                        .objects = objectPorts(objects, tracing),
                        .model = model_,
                        .clock = clock_,
                        .wake = [this] {
                          runs_.wake();
                          scorings_.wake();
                        }}) {}

evaluation::JobServices JobStack::services() { return {tracing_.services(), evaluation_jobs_}; }

void JobStack::start() {
  runs_.start();
  scorings_.start();
}

void JobStack::stop() {
  runs_.stop();
  scorings_.stop();
}

void JobStack::runMaintenance() {
  logFailure(queue_.removeFinished(clock_.now() - kJobRetention), "old_jobs_not_removed");
}

}  // namespace spindle::app
