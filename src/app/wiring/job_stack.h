#pragma once

#include "app/server/gateway_model.h"
#include "app/server/recording_model.h"
#include "app/wiring/evaluation_stack.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/object_stack.h"
#include "app/wiring/tracing_stack.h"
#include "evaluation/routes/job_api.h"
#include "evaluation/runner/bulk_scoring.h"
#include "evaluation/runner/evaluation_jobs.h"
#include "evaluation/runner/evaluation_runner.h"
#include "evaluation/scoring/retrying_model.h"
#include "evaluation/scoring/upstream_client.h"
#include "http/client/client.h"
#include "jobs/job_queue.h"
#include "jobs/job_runner.h"
#include "tracing/bulk/bulk_job_api.h"
#include "tracing/bulk/bulk_runner.h"
#include "tracing/bulk/dataset_action.h"
#include "tracing/bulk/delete_action.h"
#include "tracing/bulk/queue_action.h"
#include "tracing/metadata/bulk_job_repository.h"

namespace spindle::app {

/// The job queue of evaluations and of actions on many calls, and the threads that execute its
/// jobs. Members are constructed in this order and destroyed in reverse; the stacks passed to the
/// constructor must outlive this object.
class JobStack {
 public:
  JobStack(const StackContext& context,
           IdentityStack& identity,
           ObjectStack& objects,
           TracingStack& tracing,
           EvaluationStack& evaluations,
           inference::Gateway& gateway);

  evaluation::JobServices services();
  tracing::BulkServices bulkServices();

  /// Resumes the jobs that ran when the server last stopped, and starts new jobs.
  void start();
  /// Returns the running jobs to the queue.
  void stop();
  /// Deletes jobs that finished long ago.
  void runMaintenance();
  /// Ends all leases of the jobs of a lost node.
  Result<void> giveBackWork(const std::string& node_id);

 private:
  tracing::BulkPorts bulkPorts();

  IdentityStack& identity_;
  TracingStack& tracing_;
  const Clock& clock_;
  jobs::JobQueue queue_;
  http::Client client_;
  evaluation::UpstreamClient upstream_;
  GatewayModel gateway_;
  evaluation::RetryingModel retried_;
  RecordingModel model_;
  evaluation::EvaluationRunner evaluation_runner_;
  jobs::JobRunner runs_;
  jobs::JobRunner scorings_;
  evaluation::EvaluationJobs evaluation_jobs_;
  tracing::BulkJobRepository bulk_repository_;
  const tracing::DeleteAction delete_action_;
  const tracing::QueueAction queue_action_;
  const tracing::DatasetAction dataset_action_;
  const evaluation::BulkScoring bulk_scoring_;
  const tracing::BulkRunner bulk_runner_;
  jobs::JobRunner bulk_;
  const tracing::BulkJobs bulk_jobs_;
};

}  // namespace spindle::app
