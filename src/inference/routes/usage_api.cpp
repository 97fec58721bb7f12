#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/store/project_repository.h"
#include "identity/store/user_repository.h"
#include "identity/types/names.h"
#include "inference/routes/route_parts.h"
#include "inference/usage/usage_scope.h"
#include "inference/usage/usage_store.h"
#include "schema/scalar.h"

namespace spindle::inference {
namespace {

using http::Context;
using schema::nullable, schema::string;

constexpr std::chrono::days kDefaultRange{30};
constexpr std::int64_t kDefaultRows = 1000;
constexpr std::int64_t kMostRows = 10'000;

struct UsageQuery {
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;
  std::string group_by;
  std::optional<std::string> model;
  std::optional<std::string> project;
  std::optional<std::string> user;
  std::optional<std::string> key;
  std::int64_t limit = kDefaultRows;
};

struct LatencyView {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
};
struct FirstTokenView {
  double p50 = 0;
  double p95 = 0;
};
struct UsageRowView : UsageRow {
  std::optional<std::string> day;
  std::optional<std::string> model;
  std::optional<std::string> project;
  std::optional<std::string> user;
  std::optional<std::string> key;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::optional<LatencyView> latency_ms;
  std::optional<FirstTokenView> first_token_ms;
};
struct UsageView {
  Timestamp from;
  Timestamp to;
  std::vector<std::string> group_by;
  std::vector<UsageRowView> items;
  bool has_more = false;
};

schema::Codec<UsageRowView> rowCodec() {
  using View = UsageRowView;
  const auto latency = schema::Record<LatencyView>("Latency")
                           .required("mean", &LatencyView::mean, schema::number())
                           .required("p50", &LatencyView::p50, schema::number())
                           .required("p95", &LatencyView::p95, schema::number())
                           .required("p99", &LatencyView::p99, schema::number())
                           .codec();
  const auto first_token = schema::Record<FirstTokenView>("FirstToken")
                               .required("p50", &FirstTokenView::p50, schema::number())
                               .required("p95", &FirstTokenView::p95, schema::number())
                               .codec();
  const auto key = nullable(string());
  const auto count = schema::integer();
  return schema::Record<View>("UsageRow")
      .required("day", &View::day, key, "UTC, such as `2026-11-15`.")
      .omitNull()
      .required("model", &View::model, key, "The `model` of the requests.")
      .omitNull()
      .required("project", &View::project, key,
                "`team/project`; the id if the project no longer exists.")
      .omitNull()
      .required("user", &View::user, key, "User name; the id if the user no longer exists.")
      .omitNull()
      .required("key", &View::key, key, "`key_id` of the API key.")
      .omitNull()
      .required("requests", &View::requests, count)
      .required("errors", &View::errors, count,
                "Requests with a status of 400 or higher, except cancelled ones.")
      .required("cancelled", &View::cancelled, count,
                "Requests whose client disconnected before the end.")
      .required("prompt_tokens", &View::prompt_tokens, count, "Including cached tokens.")
      .required("completion_tokens", &View::completion_tokens, count, "Including reasoning tokens.")
      .required("cached_tokens", &View::cached_tokens, count)
      .required("reasoning_tokens", &View::reasoning_tokens, count)
      .required("cost_usd", &View::cost, schema::number(), "At current prices.")
      .required("unpriced_requests", &View::unpriced, count,
                "Requests for models without a price; not included in the cost.")
      .required("latency_ms", &View::latency_ms, nullable(latency),
                "Latency of successful requests; null if there are none.")
      .required("first_token_ms", &View::first_token_ms, nullable(first_token),
                "Time until the response started; null if unknown.")
      .codec();
}

schema::Codec<UsageView> usageCodec() {
  return schema::Record<UsageView>("InferenceUsage")
      .required("from", &UsageView::from, schema::dateTime())
      .required("to", &UsageView::to, schema::dateTime(), "End of the range, exclusive.")
      .required("group_by", &UsageView::group_by, schema::list(string()))
      .required("items", &UsageView::items, schema::list(rowCodec()), "Sorted by their keys.")
      .required("has_more", &UsageView::has_more, schema::boolean(),
                "There are more groups than `limit`; narrow the query.")
      .codec();
}

http::Parameters<UsageQuery> usageParameters() {
  using Query = UsageQuery;
  const auto text = nullable(string());
  http::Parameters<Query> parameters;
  parameters
      .query("from", &Query::from, nullable(schema::dateTime()),
             "Start of the range; default: 30 days before `to`.")
      .query("to", &Query::to, nullable(schema::dateTime()),
             "End of the range, exclusive; default: now.")
      .query("group_by", &Query::group_by, string({.max_length = 64}),
             "Comma-separated list of `day`, `model`, `project`, `user` and `key`; empty: one "
             "total.")
      .query("model", &Query::model, text, "Only this model.")
      .query("project", &Query::project, text, "Only this `team/project`.")
      .query("user", &Query::user, text, "Only this user name.")
      .query("key", &Query::key, text, "Only this `key_id`.")
      .query("limit", &Query::limit, schema::integer({.ge = 1, .le = kMostRows}),
             "Maximum number of groups.");
  return parameters;
}

Error invalidQuery(std::string name, std::string message) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = {LocStep("query"), LocStep(std::move(name))};
  violation.msg = std::move(message);
  return Error::invalid({std::move(violation)});
}

Result<std::vector<UsageKey>> keysIn(std::string_view text) {
  std::vector<UsageKey> keys;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::optional<UsageKey> key = usageKeyOf(text.substr(0, comma));
    if (!key) {
      return invalidQuery("group_by", "Usage can be grouped by day, model, project, user and key");
    }
    if (std::ranges::find(keys, *key) != keys.end()) {
      return invalidQuery("group_by", "List each key only once");
    }
    keys.push_back(*key);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return keys;
}

/// Restricts the query to a project that the user can read. The user still sees only the usage in
/// its scope.
Result<void> filterByProject(const InferenceServices& services,
                             const std::string& caller,
                             const std::string& text,
                             UsageReportQuery& report_query) {
  const Result<identity::ProjectName> name = identity::splitProjectName(text);
  if (!name) return Error::notFound("Project not found");
  const identity::ProjectAccess access =
      TRY(services.access.readProject(caller, name->entity, name->project));
  report_query.project_id = access.project_id;
  return {};
}

Result<UsageReportQuery> reportQueryOf(const InferenceServices& services,
                                       const std::string& caller,
                                       const UsageQuery& query) {
  UsageReportQuery report_query;
  std::vector<UsageKey> keys = TRY(keysIn(query.group_by));
  report_query.group_by = std::move(keys);
  // The end is exclusive; include the requests of this moment.
  report_query.to = query.to.value_or(services.clock.now() + std::chrono::seconds(1));
  report_query.from = query.from.value_or(report_query.to - kDefaultRange);
  if (report_query.from > report_query.to) return invalidQuery("from", "`from` is after `to`");
  report_query.model = query.model;
  report_query.key_id = query.key;
  report_query.limit = static_cast<std::size_t>(query.limit);
  UsageScope scope = TRY(usageScopeOf(services.access, services.teams, services.projects, caller));
  report_query.scope = std::move(scope);
  if (query.project) {
    TRY(filterByProject(services, caller, *query.project, report_query));
  }
  if (query.user) {
    const Result<identity::User> user = services.users.findByUsername(*query.user);
    if (!user && user.error().code() != ErrorCode::kNotFound) return user.error();
    // An unknown user has no usage.
    report_query.user_id = user ? user->id : "";
  }
  return report_query;
}

/// Finds the names of ids and caches them.
class Names {
 public:
  explicit Names(const InferenceServices& services) : services_(services) {}

  Result<std::string> project(const std::string& id) {
    return once(projects_, id, [this](const std::string& unknown) -> Result<std::string> {
      const identity::Project found = TRY(services_.projects.findById(unknown));
      return identity::ProjectName{found.team_name, found.name}.text();
    });
  }
  Result<std::string> user(const std::string& id) {
    return once(users_, id, [this](const std::string& unknown) -> Result<std::string> {
      const identity::User found = TRY(services_.users.find(unknown));
      return found.username;
    });
  }

 private:
  template <class LookUp>
  static Result<std::string> once(std::map<std::string, std::string>& known,
                                  const std::string& id,
                                  LookUp look_up) {
    const auto found = known.find(id);
    if (found != known.end()) return found->second;
    Result<std::string> name = look_up(id);
    if (!name && name.error().code() != ErrorCode::kNotFound) return name;
    return known.emplace(id, name ? *std::move(name) : id).first->second;
  }

  const InferenceServices& services_;
  std::map<std::string, std::string> projects_;
  std::map<std::string, std::string> users_;
};

UsageRowView figuresOf(const UsageRow& row) {
  UsageRowView view;
  static_cast<UsageRow&>(view) = row;
  view.prompt_tokens = row.tokens.prompt;
  view.completion_tokens = row.tokens.completion;
  view.cached_tokens = row.tokens.cached;
  view.reasoning_tokens = row.tokens.reasoning;
  if (row.latency_p50) {
    view.latency_ms = LatencyView{row.latency_mean.value_or(0), *row.latency_p50,
                                  row.latency_p95.value_or(0), row.latency_p99.value_or(0)};
  }
  if (row.first_token_p50) {
    view.first_token_ms = FirstTokenView{*row.first_token_p50, row.first_token_p95.value_or(0)};
  }
  return view;
}

Result<UsageRowView> viewOf(const UsageRow& row, const std::vector<UsageKey>& keys, Names& names) {
  UsageRowView view = figuresOf(row);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& value = row.keys[i];
    if (keys[i] == UsageKey::kDay) view.day = value;
    if (keys[i] == UsageKey::kModel) view.model = value;
    if (keys[i] == UsageKey::kApiKey) view.key = value;
    if (keys[i] == UsageKey::kProject) {
      std::string name = TRY(names.project(value));
      view.project = std::move(name);
    }
    if (keys[i] == UsageKey::kUser) {
      std::string name = TRY(names.user(value));
      view.user = std::move(name);
    }
  }
  return view;
}

Result<UsageView> readUsage(const InferenceServices& services,
                            const Context& context,
                            const UsageQuery& query) {
  const UsageReportQuery report_query =
      TRY(reportQueryOf(services, context.caller().user_id, query));
  if (services.flush_usage) services.flush_usage();
  const UsageReport report = TRY(services.usage.report(report_query, services.prices));
  UsageView view;
  view.from = report_query.from;
  view.to = report_query.to;
  for (const UsageKey key : report_query.group_by) view.group_by.emplace_back(textOf(key));
  view.has_more = report.has_more;
  Names names(services);
  for (const UsageRow& row : report.rows) {
    UsageRowView shown = TRY(viewOf(row, report_query.group_by, names));
    view.items.push_back(std::move(shown));
  }
  return view;
}

}  // namespace

void addUsageRoutes(const InferenceRoutes& routes) {
  routes.get("/api/v1/usage",
             {"readUsage", "Report the usage of models",
              "Includes the user's own requests and those of the user's projects and of "
              "teams that the user administers; all requests for organization admins."},
             {.params = usageParameters(), .reply = usageCodec()}, readUsage);
}

}  // namespace spindle::inference
