#include <algorithm>
#include <charconv>
#include <utility>

#include "http/router/paging.h"
#include "http/router/rate_limiter.h"
#include "http/router/route_group.h"
#include "runs/history_reader.h"
#include "runs/history_repository.h"
#include "runs/run_view.h"

namespace spindle::runs {
namespace {

using http::Context, http::Reply;
using registry::Place;
using schema::Extra, schema::integer, schema::nullable, schema::string;

constexpr std::size_t kHistoryBodyLimit = 10UL * 1024 * 1024;
constexpr std::size_t kMaxRows = 1000;
constexpr std::size_t kMaxSampledKeys = 20;
constexpr std::int64_t kMaxPoints = 10'000;

struct RowBody {
  std::optional<std::int64_t> step;
  std::optional<Timestamp> timestamp;
  json::Text metrics{"{}"};
};

struct AppendBody {
  std::optional<std::int64_t> offset;
  std::vector<RowBody> rows;
};

struct KeysQuery {
  std::vector<std::string> keys;
  std::optional<std::int64_t> min_step;
  std::optional<std::int64_t> max_step;

  /// Returns the distinct keys. A parameter may contain several keys, separated by commas.
  std::vector<std::string> each() const {
    std::vector<std::string> split;
    for (const std::string& some : keys) {
      std::size_t begin = 0;
      while (begin <= some.size()) {
        const std::size_t end = std::min(some.find(',', begin), some.size());
        std::string key = some.substr(begin, end - begin);
        begin = end + 1;
        const bool known = std::find(split.begin(), split.end(), key) != split.end();
        if (!key.empty() && !known) split.push_back(std::move(key));
      }
    }
    return split;
  }

  /// Returns a query for the keys and steps.
  template <class Query>
  Query query() const {
    Query query;
    query.keys = each();
    query.min_step = min_step;
    query.max_step = max_step;
    return query;
  }
};

struct ReadPath : RunPath, KeysQuery {
  std::int64_t limit = 50;
  std::string cursor;
};

struct SamplePath : RunPath, KeysQuery {
  std::int64_t samples = 500;
};

struct SamplesReply {
  std::vector<SampledMetric> items;
};

/// The differences between the routes of the two streams.
struct StreamRoutes {
  Stream stream = Stream::kHistory;
  std::string_view path;             ///< below the path of a run
  std::string_view name;             ///< in the ids of operations and the names of schemas
  std::string_view metrics;          ///< what is logged and plotted
  std::string_view logged_metrics;   ///< what is read
  std::string_view line_count_name;  ///< the member with the number of lines
};

schema::Codec<AppendBody> appendCodec() {
  const schema::Codec<RowBody> row =
      schema::Record<RowBody>("RunHistoryRow", Extra::kForbid)
          .optional(
              "step", &RowBody::step, nullable(integer({.ge = 0})),
              "Must not decrease. A repeated step adds keys to its row. Default: the next step.")
          .optional("timestamp", &RowBody::timestamp, nullable(schema::dateTime()),
                    "RFC 3339 or Unix seconds. Default: now.")
          .required("metrics", &RowBody::metrics, schema::jsonObject(),
                    "Values by key; nested objects become dotted keys.")
          .codec();
  return schema::Record<AppendBody>("RunHistoryRows", Extra::kForbid)
      .optional("offset", &AppendBody::offset, nullable(integer({.ge = 0})),
                "Line number of the first row. The server ignores lines that it has stored "
                "already, so that a client can retry. Default: the next line.")
      .required("rows", &AppendBody::rows,
                schema::list(row, {.min_items = 1, .max_items = kMaxRows}))
      .codec();
}

schema::Codec<HistoryRepository::Appended> appendedCodec(const StreamRoutes& routes) {
  using Appended = HistoryRepository::Appended;
  return schema::Record<Appended>("Run" + std::string(routes.name) + "Appended")
      .required("accepted", &Appended::accepted, integer(), "Number of stored rows.")
      .required("ignored", &Appended::ignored, integer(),
                "Number of rows that were stored already.")
      .required("next_step", &Appended::next_step, integer(),
                "Step of the next row without a step.")
      .required(routes.line_count_name, &Appended::line_count, integer(),
                "The `offset` of the next row.")
      .required("stop_requested", &Appended::stop_requested, schema::boolean(),
                "A user asked the run to stop.")
      .codec();
}

schema::Codec<SamplesReply> samplesCodec() {
  const auto number = [] { return nullable(schema::number()); };
  const schema::Codec<SamplePoint> point =
      schema::Record<SamplePoint>("RunMetricPoint")
          .required("step", &SamplePoint::step, integer(), "Step of the first value.")
          .required("last_step", &SamplePoint::last_step, integer(), "Step of the last value.")
          .required("count", &SamplePoint::count, integer(), "Number of finite values.")
          .required("min", &SamplePoint::min, number())
          .required("max", &SamplePoint::max, number())
          .required("mean", &SamplePoint::mean, number())
          .required("last", &SamplePoint::last, number())
          .codec();
  const schema::Codec<SampledMetric> metric =
      schema::Record<SampledMetric>("RunMetricSamples")
          .required("key", &SampledMetric::key, string())
          .required("count", &SampledMetric::count, integer(), "Number of values.")
          .required("points", &SampledMetric::points, schema::list(point), "In step order.")
          .codec();
  return schema::Record<SamplesReply>("RunSamples")
      .required("items", &SamplesReply::items, schema::list(metric), "One item per requested key.")
      .codec();
}

template <class P>
http::Parameters<P> keysParameters(std::string_view keys_doc, std::size_t max_keys) {
  http::Parameters<P> parameters;
  addRunPath(parameters)
      .query("keys", &KeysQuery::keys, schema::list(string(), {.max_items = max_keys}), keys_doc)
      .query("min_step", &KeysQuery::min_step, nullable(integer()), "The first step.")
      .query("max_step", &KeysQuery::max_step, nullable(integer()), "The last step.");
  return parameters;
}

Result<Reply<HistoryRepository::Appended>> append(const RunServices& services,
                                                  const Context& context,
                                                  const RunPath& path,
                                                  Stream stream,
                                                  AppendBody body) {
  const Place place = TRY(authorize(services, context, path, identity::Action::kWriteProject));
  HistoryRepository::Append rows;
  rows.offset = body.offset;
  rows.rows.reserve(body.rows.size());
  for (RowBody& row : body.rows) {
    rows.rows.push_back({row.step, row.timestamp, std::move(row.metrics.json)});
  }
  if (services.row_limiter.enabled()) {
    const http::RateLimiter::Decision decision = services.row_limiter.take(
        place.project_id + "/" + path.run, static_cast<std::int64_t>(rows.rows.size()));
    if (!decision.allowed) return decision.refusal("Too many rows of one run, try again later.");
  }
  const HistoryRepository::Appended appended =
      TRY(services.history.append(place, path.run, stream, rows));
  return Reply(appended);
}

Result<Reply<http::PageReply<json::Text>>> read(const RunServices& services,
                                                const Context& context,
                                                const ReadPath& path,
                                                Stream stream) {
  const std::string project = TRY(readableProject(services, context, path));
  HistoryQuery query = path.query<HistoryQuery>();
  query.limit = static_cast<int>(path.limit);
  const std::string after = TRY(http::decodeCursor(path.cursor));
  const char* end = after.data() + after.size();
  const auto [rest, error] = std::from_chars(after.data(), end, query.from_line);
  if (!after.empty() && (error != std::errc() || rest != end)) {
    return http::invalidCursor(path.cursor);
  }
  HistoryPage page = TRY(services.reader.read({project, path.run}, stream, query));
  http::PageReply<json::Text> reply;
  reply.items.reserve(page.rows.size());
  for (std::string& row : page.rows) reply.items.push_back({std::move(row)});
  if (page.next_line) reply.next_cursor = http::encodeCursor(std::to_string(*page.next_line));
  return Reply(std::move(reply));
}

Result<SamplesReply> sample(const RunServices& services,
                            const Context& context,
                            const SamplePath& path,
                            Stream stream) {
  const std::string project = TRY(readableProject(services, context, path));
  SampleQuery query = path.query<SampleQuery>();
  query.points = static_cast<std::size_t>(path.samples);
  if (query.keys.empty() || query.keys.size() > kMaxSampledKeys) {
    Violation violation;
    violation.type = "value_error";
    violation.loc = {LocStep("query"), LocStep("keys")};
    violation.msg = "Value error, 1 to 20 keys are required";
    violation.ctx = R"({"error":{}})";
    return Error::invalid({std::move(violation)});
  }
  std::vector<SampledMetric> sampled =
      TRY(services.reader.sample({project, path.run}, stream, query));
  return SamplesReply{std::move(sampled)};
}

void addStreamRoutes(const RunRoutes& routes, const StreamRoutes& names) {
  const Stream stream = names.stream;
  const std::string all = "/api/v1/projects/{team}/{project}/runs/{run}/" + std::string(names.path);
  const std::string name(names.name);
  const std::string metrics(names.metrics);
  http::RoutePolicy append_policy = routes.policy();
  append_policy.body_limit = std::max(routes.policy().body_limit, kHistoryBodyLimit);
  const RunRoutes append_routes = routes.with(append_policy);
  append_routes.post(all,
                     {"append" + name, "Log " + metrics,
                      "Stores 1 to 1000 rows, all or none. Accepted rows count as a heartbeat."},
                     {.params = runPath(), .body = appendCodec(), .reply = appendedCodec(names)},
                     [stream](const RunServices& services, const Context& context,
                              const RunPath& path, AppendBody body) {
                       return append(services, context, path, stream, std::move(body));
                     });
  routes.get(
      all,
      {"read" + name, "Read " + std::string(names.logged_metrics),
       "Rows in step order. A row has its keys and `_step`, `_timestamp`, `_runtime`."},
      {.params = keysParameters<ReadPath>(
                     "Return only these keys, and only rows that have one of them. Separated by "
                     "commas, or the parameter several "
                     "times.",
                     kMaxRows)
                     .query("limit", &ReadPath::limit,
                            integer({.ge = 1, .le = static_cast<std::int64_t>(kMaxRows)}),
                            "Maximum number of rows.")
                     .query("cursor", &ReadPath::cursor, string({.max_length = 1024}),
                            "`next_cursor` of the previous page."),
       .reply = http::pageCodec("Run" + name + "Page", schema::jsonObject())},
      [stream](const RunServices& services, const Context& context, const ReadPath& path) {
        return read(services, context, path, stream);
      });
  routes.get(
      all + "/samples",
      {"sample" + name, "Read " + metrics + " for a plot",
       "Returns a limited number of points per key, for a run of any length. A point "
       "has the minimum, maximum, mean and last of neighbouring values. If a key has "
       "no more values than points, each value is a point."},
      {.params =
           keysParameters<SamplePath>(
               "1 to 20 keys. Separate keys by commas or repeat the parameter.", kMaxSampledKeys)
               .query("samples", &SamplePath::samples, integer({.ge = 1, .le = kMaxPoints}),
                      "Maximum number of points per key."),
       .reply = samplesCodec()},
      [stream](const RunServices& services, const Context& context, const SamplePath& path) {
        return sample(services, context, path, stream);
      });
}

}  // namespace

void addHistoryRoutes(RunRoutes routes) {
  addStreamRoutes(routes, {Stream::kHistory, "history", "History", "metrics", "logged metrics",
                           "history_line_count"});
  addStreamRoutes(routes, {Stream::kSystem, "system-metrics", "SystemMetrics", "system metrics",
                           "system metrics", "line_count"});
}

}  // namespace spindle::runs
