#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/time.h"
#include "http/router/parameters.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "training/jobs/job.h"
#include "training/jobs/model_repository.h"

namespace spindle::training {

inline constexpr std::string_view kTrainingTag = "training";

/// The query parameters `?after=&limit=&order=` of the training API's lists.
struct ListQuery {
  std::string id;
  std::string after;
  std::int64_t limit = 20;
  std::string order = "asc";

  ListRequest request() const { return {after, limit, order == "desc"}; }
};
/// Returns the parameters of a list without `order`.
http::Parameters<ListQuery> listParameters(std::string_view id_name, std::string_view id_doc);

/// `{"object":"list","data":[…],"first_id","last_id","has_more"}`
template <class T>
struct ListReply {
  std::string object = "list";
  std::vector<T> data;
  std::string first_id;
  std::string last_id;
  bool has_more = false;
};

template <class T>
schema::Codec<ListReply<T>> listCodec(const std::string& name, const schema::Codec<T>& item) {
  using Reply = ListReply<T>;
  return schema::Record<Reply>(name)
      .optional("object", &Reply::object, schema::string(), "Always `list`.")
      .required("data", &Reply::data, schema::list(item))
      .optional("first_id", &Reply::first_id, schema::string(), "Empty for an empty page.")
      .optional("last_id", &Reply::last_id, schema::string(),
                "Pass it as `after` for the next page.")
      .required("has_more", &Reply::has_more, schema::boolean())
      .codec();
}

/// Returns a page of views, each with its `id`.
template <class View, class T>
ListReply<View> listOf(const ListPart<T>& part) {
  ListReply<View> reply;
  for (const T& item : part.items) reply.data.emplace_back(item);
  if (!reply.data.empty()) {
    reply.first_id = reply.data.front().id;
    reply.last_id = reply.data.back().id;
  }
  reply.has_more = part.has_more;
  return reply;
}

/// The representation of a job in the training API.
struct JobView : Job {
  JobView() = default;
  explicit JobView(Job job) : Job(std::move(job)), progress_share(progress()) {}

  std::optional<double> progress_share;  ///< progress()
};
/// Adds the names of the team and the project that a view begins with.
template <class View>
void describePlace(schema::Record<View>& record) {
  record.required("entity", &View::entity, schema::string())
      .required("project", &View::project, schema::string());
}

schema::Codec<JobKind> kindCodec();
schema::Codec<JobStatus> statusCodec();
/// Adds the members that every view of a job has.
template <class View>
void describeJob(schema::Record<View>& record) {
  using schema::nullable;
  record.required("id", &View::id, schema::uuid())
      .required("model_id", &View::model_id, schema::uuid())
      .required("status", &View::status, statusCodec())
      .required("progress", &View::progress_share, nullable(schema::number()),
                "Completed share of the expected gradient steps, 0 to 1; null before the start.")
      .required("error_message", &View::error_message, nullable(schema::string()),
                "What went wrong and what to do.")
      .required("training_start", &View::training_start, nullable(schema::dateTime()))
      .required("training_end", &View::training_end, nullable(schema::dateTime()))
      .required("created_at", &View::created_at, schema::dateTime())
      .required("updated_at", &View::updated_at, schema::dateTime());
}

}  // namespace spindle::training
