#include "training/api/training_views.h"

namespace spindle::training {

http::Parameters<ListQuery> listParameters(std::string_view id_name, std::string_view id_doc) {
  http::Parameters<ListQuery> parameters;
  parameters.path(id_name, &ListQuery::id, schema::string(), id_doc)
      .query("after", &ListQuery::after, schema::string(), "The id of the last item seen.")
      .query("limit", &ListQuery::limit, schema::integer({.ge = 1, .le = 100}),
             "How many items at most.");
  return parameters;
}

JobView::JobView(const Job& job)
    : id(job.id),
      model_id(job.model_id),
      status(job.status),
      progress(job.progress()),
      error_message(job.error_message),
      training_start(job.training_start),
      training_end(job.training_end),
      created_at(job.created_at),
      updated_at(job.updated_at) {}

schema::Codec<JobStatus> statusCodec() {
  std::vector<std::pair<std::string, JobStatus>> words;
  for (const JobStatus status : {JobStatus::kPending, JobStatus::kRunning, JobStatus::kCompleted,
                                 JobStatus::kFailed, JobStatus::kCancelled}) {
    words.emplace_back(textOf(status), status);
  }
  return schema::enumeration(words);
}

}  // namespace spindle::training
