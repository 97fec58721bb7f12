#include <chrono>

#include "http/router/route_group.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/system_check.h"
#include "training/trainers/trainer_service.h"

namespace spindle::training {
namespace {

using http::Reply, schema::Record, std::chrono::steady_clock;

struct HealthView {
  std::string status = "ok";
};

struct QueueView {
  bool success = true;
  double duration = 0;
  std::optional<std::string> error;
};

struct CheckView {
  bool api = true;
  bool database = true;
  QueueView cpu_queue;
  QueueView gpu_queue;
};

schema::Codec<CheckView> checkCodec() {
  const schema::Codec<QueueView> queue =
      Record<QueueView>("QueueCheck")
          .required("success", &QueueView::success, schema::boolean())
          .required("duration", &QueueView::duration, schema::number(), "Seconds.")
          .required("error", &QueueView::error, schema::nullable(schema::string()))
          .codec();
  return Record<CheckView>("SystemCheck")
      .required("api", &CheckView::api, schema::boolean(), "Always true.")
      .required("database", &CheckView::database, schema::boolean())
      .required("cpu_queue", &CheckView::cpu_queue, queue, "The job queue.")
      .required("gpu_queue", &CheckView::gpu_queue, queue, "The trainers.")
      .codec();
}

double secondsSince(steady_clock::time_point began) {
  return std::chrono::duration<double>(steady_clock::now() - began).count();
}

Reply<CheckView> check(const TrainingServices& services) {
  CheckView view;
  view.database = services.check_database().has_value();
  const auto began = steady_clock::now();
  const Result<JobRepository::Waiting> waiting = services.job_rows.waiting();
  view.cpu_queue.duration = secondsSince(began);
  if (!waiting) {
    view.cpu_queue.success = view.gpu_queue.success = false;
    view.cpu_queue.error = view.gpu_queue.error = waiting.error().message();
  } else {
    const ComponentCheck trainers =
        checkTrainers(*waiting, services.trainers.timeSinceContact(), services.clock.now());
    view.gpu_queue = {trainers.success, secondsSince(began), trainers.error};
  }
  const bool well = view.database && view.cpu_queue.success && view.gpu_queue.success;
  Reply<CheckView> reply(view);
  if (!well) reply.status = 503;
  return reply;
}

}  // namespace

void addSystemCheckRoutes(const TrainingRoutes& routes) {
  http::RoutePolicy open = routes.policy();
  open.credentials = http::Credentials::kOpen;
  const TrainingRoutes open_routes = routes.with(open);
  open_routes.get(
      "/v1/health", {"getTrainingHealth", "Check that the server is running"},
      {.reply = Record<HealthView>("TrainingHealth")
                    .required("status", &HealthView::status, schema::string(), "Always `ok`.")
                    .codec()},
      []() -> Result<HealthView> { return HealthView(); });
  open_routes.get(
      "/v1/system-check",
      {"checkSystem", "Check all components of training", "Returns 503 if one of them fails."},
      {.reply = checkCodec(), .facts = {.reply_statuses = {503}}},
      [](const TrainingServices& services) -> Result<Reply<CheckView>> { return check(services); });
}

}  // namespace spindle::training
