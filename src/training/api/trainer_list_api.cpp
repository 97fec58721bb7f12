#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/job_service.h"
#include "training/trainers/trainer_service.h"

namespace spindle::training {
namespace {

using http::Context;
using schema::nullable, schema::Record, schema::string;

/// A waiting trainer asks for a job at least every 60 seconds.
constexpr std::chrono::seconds kLostWhenWaiting{90};

struct TrainerJobView {
  std::string id;
  std::string project;
  std::string model;
  std::optional<double> progress;
};

struct TrainerView {
  std::optional<std::string> name;
  std::string state;
  Timestamp seen_at;
  std::optional<std::string> device;
  std::optional<TrainerJobView> job;
};

/// A trainer as the server knows it, before the access check.
struct KnownTrainer {
  std::optional<std::string> device;
  Timestamp seen_at;
  std::optional<std::string> job_id;
};

schema::Codec<TrainerView> trainerCodec() {
  const schema::Codec<TrainerJobView> job =
      Record<TrainerJobView>("TrainerJob")
          .required("id", &TrainerJobView::id, schema::uuid())
          .required("project", &TrainerJobView::project, string(), "`team/project`")
          .required("model", &TrainerJobView::model, string())
          .required("progress", &TrainerJobView::progress, nullable(schema::number()), "0 to 1.")
          .codec();
  return Record<TrainerView>("Trainer")
      .required("name", &TrainerView::name, nullable(string()),
                "Null unless you are an organization admin or can read its job.")
      .required("state", &TrainerView::state, schema::literal({"waiting", "working", "lost"}),
                "`lost`: the server has not heard from it for longer than its lease or poll.")
      .required("seen_at", &TrainerView::seen_at, schema::dateTime(), "Last contact.")
      .required("device", &TrainerView::device, nullable(string()),
                "`cpu` or `cuda`; null if it has not asked for a job since the server started.")
      .required("job", &TrainerView::job, nullable(job), "Null if you cannot read the job.")
      .codec();
}

std::string stateOf(const KnownTrainer& trainer, Timestamp now) {
  const std::chrono::seconds limit =
      trainer.job_id ? TrainerService::kLease : std::chrono::seconds(kLostWhenWaiting);
  if (now - trainer.seen_at > limit) return "lost";
  return trainer.job_id ? "working" : "waiting";
}

/// Returns the job if the caller may read it.
Result<std::optional<Job>> readableJob(const TrainingServices& services,
                                       const Context& context,
                                       const std::string& id) {
  Result<Job> job = services.jobs.require(callerOf(context), id, identity::Action::kReadProject);
  if (job) return std::optional(*std::move(job));
  const ErrorCode code = job.error().code();
  if (code == ErrorCode::kNotFound || code == ErrorCode::kPermissionDenied) {
    return std::optional<Job>();
  }
  return std::move(job).error();
}

Result<http::PageReply<TrainerView>> listTrainers(const TrainingServices& services,
                                                  const Context& context) {
  std::map<std::string, KnownTrainer> known;
  for (const TrainerContact& contact : services.trainers.contacts()) {
    known[contact.name] = {contact.device, contact.seen_at, std::nullopt};
  }
  for (const QueuedJob& job : TRY(services.job_rows.queued())) {
    if (!job.trainer) continue;
    KnownTrainer& trainer = known[*job.trainer];
    trainer.seen_at = std::max(trainer.seen_at, job.updated_at);
    trainer.job_id = job.id;
  }
  const bool admin = TRY(services.access.isOrganizationAdmin(context.caller().user_id));
  const Timestamp now = services.clock.now();
  http::PageReply<TrainerView> page;
  for (const auto& [name, trainer] : known) {
    TrainerView& view = page.items.emplace_back();
    view.state = stateOf(trainer, now);
    view.seen_at = trainer.seen_at;
    view.device = trainer.device;
    if (admin) view.name = name;
    if (!trainer.job_id) continue;
    const std::optional<Job> job = TRY(readableJob(services, context, *trainer.job_id));
    if (!job) continue;
    view.name = name;
    view.job = {job->id, job->place.entity + "/" + job->place.project, job->model, job->progress()};
  }
  return page;
}

}  // namespace

void addTrainerListRoutes(const TrainingRoutes& routes) {
  routes.get("/api/v1/trainers",
             {"listTrainers", "List trainers and their jobs",
              "Trainers that asked for a job since the server started, and those that hold one. "
              "Sorted by name."},
             {.reply = http::pageCodec("TrainerPage", trainerCodec())}, listTrainers);
}

}  // namespace spindle::training
