#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/analysis_routes/analysis_api.h"
#include "tracing/routes/call_query_api.h"
#include "tracing/routes/json_lines.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using http::Context, http::Nothing, http::Reply;
using schema::Codec, schema::integer, schema::nullable, schema::Record, schema::string;

struct ThreadFilter {
  std::optional<Timestamp> after_datetime;
  std::optional<Timestamp> before_datetime;
  std::optional<std::vector<std::string>> thread_ids;
};

struct ThreadsBody : PageBody {
  std::string project_id;
  std::optional<ThreadFilter> filter;
};

struct NamedField {
  std::string_view name;
  ThreadField field;
};
constexpr std::array<NamedField, 6> kSortFields = {{
    {"thread_id", ThreadField::kId},
    {"turn_count", ThreadField::kTurnCount},
    {"start_time", ThreadField::kStartTime},
    {"last_updated", ThreadField::kLastUpdated},
    {"p50_turn_duration_ms", ThreadField::kP50},
    {"p99_turn_duration_ms", ThreadField::kP99},
}};

Codec<ThreadsBody> bodyCodec() {
  const Codec<ThreadFilter> filter =
      Record<ThreadFilter>("ThreadsFilter")
          .optional("after_datetime", &ThreadFilter::after_datetime, nullable(schema::dateTime()),
                    "Only turns that started later.")
          .optional("before_datetime", &ThreadFilter::before_datetime, nullable(schema::dateTime()),
                    "Only turns that started earlier.")
          .optional("thread_ids", &ThreadFilter::thread_ids, nullable(schema::list(string())),
                    "Null or empty: all.")
          .codec();
  Record<ThreadsBody> record = identity::projectRecord<ThreadsBody>("ThreadsQuery");
  record.optional("filter", &ThreadsBody::filter, nullable(filter));
  return addPage(record)
      .optional("sort_by", &ThreadsBody::sort_by, nullable(query::sortCodec()),
                "By thread_id, turn_count, start_time, last_updated, p50_turn_duration_ms or "
                "p99_turn_duration_ms. Default: last updated first.")
      .codec();
}

Codec<Thread> threadCodec() {
  return Record<Thread>("Thread")
      .required("thread_id", &Thread::id, string())
      .required("turn_count", &Thread::turn_count, integer())
      .required("start_time", &Thread::start_time, schema::dateTime(), "The earliest start.")
      .required("last_updated", &Thread::last_updated, schema::dateTime(), "The latest end.")
      .required("first_turn_id", &Thread::first_turn_id, string(), "First turn by start.")
      .required("last_turn_id", &Thread::last_turn_id, string(), "Last turn by end.")
      .required("p50_turn_duration_ms", &Thread::p50_turn_ms, nullable(schema::number()))
      .required("p99_turn_duration_ms", &Thread::p99_turn_ms, nullable(schema::number()))
      .codec();
}

Result<std::vector<ThreadOrder>> orderOf(const std::vector<query::SortKey>& keys) {
  std::vector<ThreadOrder> order;
  for (const query::SortKey& key : keys) {
    const auto* const found =
        std::find_if(kSortFields.begin(), kSortFields.end(),
                     [&key](const NamedField& named) { return named.name == key.field; });
    if (found == kSortFields.end()) {
      return Error::invalidArgument("Unsupported sort field: " + key.field +
                                    ". Supported fields are: last_updated, p50_turn_duration_ms, "
                                    "p99_turn_duration_ms, start_time, thread_id, turn_count");
    }
    order.push_back({found->field, key.descending});
  }
  return order;
}

Result<ThreadQuery> queryOf(const ThreadsBody& body) {
  const CallPage page = TRY(pageOf(std::nullopt, body.limit, body.offset));
  std::vector<ThreadOrder> order =
      TRY(orderOf(body.sort_by.value_or(std::vector<query::SortKey>())));
  ThreadQuery query;
  query.order = std::move(order);
  query.limit = page.limit;
  query.offset = page.offset;
  if (!body.filter) return query;
  query.after = body.filter->after_datetime;
  query.before = body.filter->before_datetime;
  if (!body.filter->thread_ids) return query;
  query.thread_ids = *body.filter->thread_ids;
  TRY(checkFilterList("thread_ids", query.thread_ids));
  return query;
}

Result<Reply<Nothing>> streamThreads(const TracingServices& services,
                                     const Context& context,
                                     const ThreadsBody& body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const ThreadQuery query = TRY(queryOf(body));
  Result<std::unique_ptr<CallView>> view = services.calls.view(project);
  if (!view) return std::move(view).error();
  Result<std::unique_ptr<ThreadReader>> reader = (*view)->threads(query);
  if (!reader) return std::move(reader).error();
  struct Threads {  // members are destroyed in reverse order: the reader before the view
    std::unique_ptr<CallView> view;
    std::unique_ptr<ThreadReader> reader;
  };
  auto threads = std::make_shared<Threads>(Threads{*std::move(view), *std::move(reader)});
  std::shared_ptr<http::BodyStream> lines =
      TRY(jsonLinesBody([threads, codec = threadCodec()]() -> Result<std::vector<std::string>> {
        std::vector<Thread> batch = TRY(threads->reader->next());
        std::vector<std::string> texts;
        texts.reserve(batch.size());
        for (const Thread& thread : batch) texts.push_back(codec.toJson(thread));
        return texts;
      }));
  Reply<Nothing> reply{Nothing{}};
  reply.stream = std::move(lines);
  return reply;
}

}  // namespace

void addThreadRoutes(const TracingRoutes& routes) {
  http::replyWithLines(routes.post("/threads/stream_query",
                                   {"streamThreads", "Query threads, streamed as JSON Lines."},
                                   {.body = bodyCodec()}, streamThreads),
                       threadCodec().type());
}

}  // namespace spindle::tracing
