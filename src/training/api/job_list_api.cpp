#include <charconv>
#include <utility>
#include <vector>

#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/project_id_codec.h"
#include "training/api/job_detail.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"
#include "training/jobs/job_repository.h"
#include "training/jobs/job_service.h"

namespace spindle::training {
namespace {

using http::Context, http::Reply;
using schema::string;

struct JobDetailPath {
  std::string id;
};
struct JobsQuery : http::PageQuery {
  std::string project;
  std::optional<std::string> model_id;
  std::optional<JobStatus> status;
};

Result<Reply<http::PageReply<JobDetail>>> listJobs(const TrainingServices& services,
                                                   const Context& context,
                                                   const JobsQuery& query) {
  const std::size_t slash = query.project.find('/');
  if (slash == std::string::npos) {
    return Error::invalidArgument("a project is named team/project").because("project_name");
  }
  const identity::ProjectAccess access = TRY(services.access.readProject(
      context.caller().user_id, query.project.substr(0, slash), query.project.substr(slash + 1)));
  const std::string after = TRY(http::decodeCursor(query.cursor));
  std::int64_t position = 0;
  const auto [end, problem] = std::from_chars(after.data(), after.data() + after.size(), position);
  if (!after.empty() && (problem != std::errc() || end != after.data() + after.size())) {
    return http::invalidCursor(query.cursor);
  }
  http::PageReply<JobDetail> reply;
  if (!access.exists()) return Reply(std::move(reply));
  const JobFilter filter{access.project_id, query.model_id, query.status};
  identity::Page<Job> page =
      TRY(services.job_rows.list(filter, {static_cast<int>(query.limit), after}));
  std::vector<JobDetail> details = TRY(jobDetails(services, std::move(page.items)));
  reply.items = std::move(details);
  if (page.next) reply.next_cursor = http::encodeCursor(*page.next);
  return Reply(std::move(reply));
}

}  // namespace

void addJobListRoutes(const TrainingRoutes& routes) {
  http::Parameters<JobsQuery> list = http::pageParameters<JobsQuery>();
  list.requiredQuery("project", &JobsQuery::project, identity::projectIdCodec(), "`team/project`")
      .query("model_id", &JobsQuery::model_id, schema::ifPresent(string()),
             "Only jobs of this model.")
      .query("status", &JobsQuery::status, schema::ifPresent(statusCodec()),
             "Only jobs with this status.");
  routes.get("/api/v1/training-jobs",
             {"listTrainingJobs", "List the training jobs of a project", "Newest first."},
             {.params = list, .reply = http::pageCodec("TrainingJobPage", jobDetailCodec())},
             listJobs);
  const http::Parameters<JobDetailPath> path =
      http::Parameters<JobDetailPath>().path("id", &JobDetailPath::id, string(), "Id of the job.");
  routes.get("/api/v1/training-jobs/{id}",
             {"showTrainingJob", "Show a training job with all its details"},
             {.params = path, .reply = jobDetailCodec()},
             [](const TrainingServices& services, const Context& context,
                const JobDetailPath& job_path) -> Result<JobDetail> {
               Job job = TRY(services.jobs.require(callerOf(context), job_path.id,
                                                   identity::Action::kReadProject));
               return jobDetail(services, std::move(job));
             });
  routes.post("/api/v1/training-jobs/{id}/cancel",
              {"cancelTrainingJob", "Cancel a training job", "A finished job stays unchanged."},
              {.params = path, .reply = jobDetailCodec()},
              [](const TrainingServices& services, const Context& context,
                 const JobDetailPath& job_path) -> Result<JobDetail> {
                Job job = TRY(services.jobs.cancel(callerOf(context), job_path.id));
                return jobDetail(services, std::move(job));
              });
}

}  // namespace spindle::training
