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

namespace {

/// Returns the codec of values that are written as textOf().
template <class E>
schema::Codec<E> namedValues(std::initializer_list<E> values) {
  std::vector<std::pair<std::string, E>> names;
  for (const E value : values) names.emplace_back(textOf(value), value);
  return schema::enumeration(names);
}

}  // namespace

schema::Codec<JobKind> kindCodec() { return namedValues({JobKind::kRl, JobKind::kSft}); }

schema::Codec<JobStatus> statusCodec() {
  return namedValues({JobStatus::kPending, JobStatus::kRunning, JobStatus::kCompleted,
                      JobStatus::kFailed, JobStatus::kCancelled});
}

}  // namespace spindle::training
