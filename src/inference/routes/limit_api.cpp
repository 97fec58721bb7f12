#include <utility>

#include "http/router/etag.h"
#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"
#include "identity/store/team_repository.h"
#include "identity/types/names.h"
#include "inference/limits/budget_ledger.h"
#include "inference/limits/limit_cache.h"
#include "inference/limits/limit_repository.h"
#include "inference/routes/enum_codec.h"
#include "inference/routes/route_parts.h"
#include "inference/routes/versioned_operation.h"
#include "inference/usage/usage_store.h"
#include "schema/described.h"

namespace spindle::inference {
namespace {

using http::Context, http::Reply;
using identity::Action;
using schema::Extra, schema::ifPresent, schema::nullable, schema::string;

constexpr std::int64_t kMostCount = 1'000'000'000;
constexpr double kMostBudget = 1e9;

/// The subject of a limit: one of both.
struct LimitSubject {
  std::optional<std::string> project;  ///< team/project
  std::optional<std::string> key;      ///< `key_id`
};
struct LimitBody : LimitValues, LimitSubject {};
struct LimitView : UsageLimit, LimitSubject {
  std::optional<std::string> key_name;
  std::optional<std::string> owner;
  std::optional<double> spent_usd;
  std::optional<Timestamp> since;
};
struct LimitsQuery : http::PageQuery, LimitSubject {};
struct LimitPath {
  std::string id;
};

constexpr std::string_view kConcurrencyDoc = "Maximum number of concurrent requests.";
constexpr std::string_view kRequestsDoc = "Maximum number of requests per minute.";
constexpr std::string_view kTokensDoc =
    "Maximum number of tokens per minute, prompts and completions together.";
constexpr std::string_view kBudgetDoc = "Maximum cost per period, in US dollars.";
constexpr std::string_view kPeriodDoc =
    "Period of the budget: `day` starts at midnight UTC, `month` on the first of the month; "
    "`total` "
    "never restarts.";

schema::Codec<std::int64_t> countCodec() { return schema::integer({.ge = 1, .le = kMostCount}); }
schema::Codec<double> budgetCodec() { return schema::number({.ge = 0, .le = kMostBudget}); }
schema::Codec<BudgetPeriod> periodCodec() { return enumCodec(kBudgetPeriods); }

schema::Codec<LimitBody> newLimitCodec() {
  using Body = LimitBody;
  return schema::described(
      schema::Record<Body>("NewLimit", Extra::kForbid)
          .optional("project", &Body::project, nullable(string()),
                    "`team/project`; alternative to `key`.")
          .optional("key", &Body::key, nullable(string()), "`key_id` of an API key.")
          .optional("concurrency", &Body::concurrency, nullable(countCodec()), kConcurrencyDoc)
          .optional("requests_per_minute", &Body::requests_per_minute, nullable(countCodec()),
                    kRequestsDoc)
          .optional("tokens_per_minute", &Body::tokens_per_minute, nullable(countCodec()),
                    kTokensDoc)
          .optional("budget_usd", &Body::budget_usd, nullable(budgetCodec()), kBudgetDoc)
          .optional("period", &Body::period, periodCodec(), kPeriodDoc)
          .check([](const Body& body) -> std::optional<schema::RuleError> {
            if (body.project.has_value() != body.key.has_value()) return std::nullopt;
            return schema::RuleError{"value_error", "Name a project or a key", {}};
          })
          .codec(),
      R"({"oneOf":[{"properties":{"project":{"type":"string"},"key":{"type":"null"}},)"
      R"("required":["project"]},{"properties":{"project":{"type":"null"},)"
      R"("key":{"type":"string"}},"required":["key"]}]})");
}

schema::Codec<LimitChange> limitChangeCodec() {
  using Body = LimitChange;
  const auto count = ifPresent(nullable(countCodec()));
  return schema::Record<Body>("LimitChange", Extra::kForbid)
      .optional("concurrency", &Body::concurrency, count, kConcurrencyDoc)
      .optional("requests_per_minute", &Body::requests_per_minute, count, kRequestsDoc)
      .optional("tokens_per_minute", &Body::tokens_per_minute, count, kTokensDoc)
      .optional("budget_usd", &Body::budget_usd, ifPresent(nullable(budgetCodec())), kBudgetDoc)
      .optional("period", &Body::period, ifPresent(periodCodec()), kPeriodDoc)
      .codec();
}

schema::Codec<LimitView> limitCodec() {
  using View = LimitView;
  const auto count = nullable(schema::integer());
  return schema::Record<View>("Limit")
      .required("id", &View::id, string(), "Assigned by the server.")
      .required("project", &View::project, nullable(string()),
                "`team/project`; null for the limit of a key.")
      .required("key", &View::key, nullable(string()), "`key_id`; null for the limit of a project.")
      .required("key_name", &View::key_name, nullable(string()), "Name of the key.")
      .required("owner", &View::owner, nullable(string()), "User name of the key's owner.")
      .required("concurrency", &View::concurrency, count, kConcurrencyDoc)
      .required("requests_per_minute", &View::requests_per_minute, count, kRequestsDoc)
      .required("tokens_per_minute", &View::tokens_per_minute, count, kTokensDoc)
      .required("budget_usd", &View::budget_usd, nullable(schema::number()), kBudgetDoc)
      .required("period", &View::period, periodCodec(), kPeriodDoc)
      .required("spent_usd", &View::spent_usd, nullable(schema::number()),
                "Cost in the current period; null without a budget.")
      .required("since", &View::since, nullable(schema::dateTime()),
                "Start of the current period; null without a budget and for `total`.")
      .required("created_at", &View::created_at, schema::dateTime())
      .required("updated_at", &View::updated_at, schema::dateTime())
      .codec();
}

http::Parameters<LimitPath> limitPath() {
  return http::Parameters<LimitPath>().path("id", &LimitPath::id, string(), "Id of the limit.");
}

Result<LimitView> viewOf(const InferenceServices& services, const LimitEntry& entry) {
  const UsageLimit& limit = entry.limit;
  LimitView view;
  static_cast<UsageLimit&>(view) = limit;
  if (limit.scope == LimitScope::kProject) {
    view.project = identity::ProjectName{entry.team, entry.project}.text();
  } else {
    view.key = limit.subject_id;
    view.key_name = entry.key_name;
    view.owner = entry.owner;
  }
  if (!limit.budget_usd) return view;
  const Timestamp since = startOfPeriod(limit.period, services.clock.now());
  if (limit.period != BudgetPeriod::kTotal) view.since = since;
  if (services.flush_usage) services.flush_usage();
  const NanoDollars spent = TRY(services.usage.spentSince(limit.scope, limit.subject_id, since));
  view.spent_usd = usdOf(spent);
  return view;
}

/// The access of a user to a limit.
enum class LimitAccess { kNothing, kSees, kManages };

/// Returns the access to the limit of a key. Organization admins manage it, and so do admins of the
/// team of a service account. The owner of the key sees it.
Result<LimitAccess> keyLimitAccess(const InferenceServices& services,
                                   const std::string& caller,
                                   const LimitEntry& entry) {
  if (entry.owner_team_id) {
    const std::vector<identity::TeamOfUser> teams = TRY(services.teams.teamsOf(caller));
    for (const identity::TeamOfUser& of : teams) {
      const bool administers =
          !of.membership.pending && of.membership.role == identity::TeamRole::kAdmin;
      if (of.team.id == *entry.owner_team_id && administers) return LimitAccess::kManages;
    }
  }
  return entry.owner_id == caller ? LimitAccess::kSees : LimitAccess::kNothing;
}

Result<LimitAccess> projectLimitAccess(const InferenceServices& services,
                                       const std::string& caller,
                                       const identity::ProjectName& name) {
  const Result<identity::ProjectAccess> access =
      services.access.requireInProject(caller, name.entity, name.project, Action::kReadProject);
  if (!access && access.error().code() == ErrorCode::kNotFound) return LimitAccess::kNothing;
  if (!access) return access.error();
  const Result<identity::TeamAccess> team = services.access.findTeam(caller, name.entity);
  if (!team && team.error().code() == ErrorCode::kNotFound) return LimitAccess::kNothing;
  if (!team) return team.error();
  return allows(Action::kManageMembers, team->roles) ? LimitAccess::kManages : LimitAccess::kSees;
}

Result<LimitAccess> limitAccessOf(const InferenceServices& services,
                                  const std::string& caller,
                                  const LimitEntry& entry) {
  if (TRY(services.access.isOrganizationAdmin(caller))) return LimitAccess::kManages;
  return entry.limit.scope == LimitScope::kKey
             ? keyLimitAccess(services, caller, entry)
             : projectLimitAccess(services, caller, {entry.team, entry.project});
}

/// Finds a limit and checks that the user has the needed access.
Result<LimitEntry> requireLimit(const InferenceServices& services,
                                const Context& context,
                                const std::string& id,
                                LimitAccess needed) {
  LimitEntry entry = TRY(services.limits.find(id));
  const LimitAccess reach = TRY(limitAccessOf(services, context.caller().user_id, entry));
  if (reach == LimitAccess::kNothing) return Error::notFound("Limit not found");
  if (reach < needed) return Error::denied("You are not allowed to do this.");
  return entry;
}

/// Returns the id of a project that the user may read.
Result<std::string> projectIdOf(const InferenceServices& services,
                                const std::string& caller,
                                const std::string& text) {
  const Result<identity::ProjectName> name = identity::splitProjectName(text);
  if (!name) return Error::notFound("Project not found");
  const identity::ProjectAccess access = TRY(
      services.access.requireInProject(caller, name->entity, name->project, Action::kReadProject));
  return access.project_id;
}

/// Returns a new limit with its subject, if the user may create it.
Result<UsageLimit> subjectOf(const InferenceServices& services,
                             const std::string& caller,
                             const LimitBody& body) {
  LimitEntry entry;
  if (body.project) {
    std::string id = TRY(projectIdOf(services, caller, *body.project));
    const identity::ProjectName name = TRY(identity::splitProjectName(*body.project));
    entry.limit.scope = LimitScope::kProject;
    entry.limit.subject_id = std::move(id);
    entry.team = name.entity;
    entry.project = name.project;
  } else {
    LimitEntry key = TRY(services.limits.findKey(*body.key));
    entry = std::move(key);
  }
  const LimitAccess reach = TRY(limitAccessOf(services, caller, entry));
  if (reach == LimitAccess::kNothing) {
    return Error::notFound(body.project ? "Project not found" : "API key not found");
  }
  if (reach != LimitAccess::kManages) return Error::denied("You are not allowed to do this.");
  return entry.limit;
}

/// Applies a changed limit to new requests and returns its view.
Result<Reply<LimitView>> applyLimit(const InferenceServices& services, const LimitEntry& entry) {
  TRY(services.limit_cache.refresh());
  LimitView view = TRY(viewOf(services, entry));
  return Reply(std::move(view)).with("ETag", http::etagOf(entry.limit.version));
}

Result<Reply<LimitView>> createLimit(const InferenceServices& services,
                                     const Context& context,
                                     const LimitBody& body) {
  UsageLimit limit = TRY(subjectOf(services, context.caller().user_id, body));
  static_cast<LimitValues&>(limit) = static_cast<const LimitValues&>(body);
  const LimitEntry made = TRY(services.limits.insert(std::move(limit)));
  return applyLimit(services, made);
}

Result<http::PageReply<LimitView>> listLimits(const InferenceServices& services,
                                              const Context& context,
                                              const LimitsQuery& query) {
  const std::string& caller = context.caller().user_id;
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  const bool admin = TRY(services.access.isOrganizationAdmin(caller));
  LimitFilter filter;
  if (!admin) filter.seen_by = caller;
  filter.key_id = query.key;
  if (query.project) {
    std::string id = TRY(projectIdOf(services, caller, *query.project));
    filter.project_id = std::move(id);
  }
  const identity::Page<LimitEntry> page = TRY(services.limits.list(filter, request));
  http::PageReply<LimitView> reply;
  for (const LimitEntry& entry : page.items) {
    LimitView view = TRY(viewOf(services, entry));
    reply.items.push_back(std::move(view));
  }
  if (page.next) reply.next_cursor = http::encodeCursor(*page.next);
  return reply;
}

Result<Reply<LimitView>> showLimit(const InferenceServices& services,
                                   const Context& context,
                                   const LimitPath& path) {
  const LimitEntry entry = TRY(requireLimit(services, context, path.id, LimitAccess::kSees));
  LimitView view = TRY(viewOf(services, entry));
  return Reply(std::move(view)).with("ETag", http::etagOf(entry.limit.version));
}

Result<Reply<LimitView>> changeLimit(const InferenceServices& services,
                                     const Context& context,
                                     const LimitPath& path,
                                     const LimitChange& change) {
  TRY(requireLimit(services, context, path.id, LimitAccess::kManages));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  const LimitEntry changed = TRY(services.limits.update(path.id, change, version));
  return applyLimit(services, changed);
}

Result<void> removeLimit(const InferenceServices& services,
                         const Context& context,
                         const LimitPath& path) {
  TRY(requireLimit(services, context, path.id, LimitAccess::kManages));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  TRY(services.limits.remove(path.id, version));
  TRY(services.limit_cache.refresh());
  return {};
}

}  // namespace

void addLimitRoutes(const InferenceRoutes& routes) {
  routes.post("/api/v1/limits",
              {"createLimit", "Create a limit",
               "Limits the usage of a project or an API key; each has at most one limit. For "
               "admins of the project's team, admins of the team of a key's service account, "
               "and organization admins."},
              createVersioned(newLimitCodec(), limitCodec()), createLimit);
  routes.get("/api/v1/limits",
             {"listLimits", "List limits",
              "Lists the limits of the projects that the user sees, of the user's own keys, "
              "and of the service accounts of teams that the user administers; the newest "
              "first."},
             {.params = http::pageParameters<LimitsQuery>()
                            .query("project", &LimitsQuery::project, nullable(string()),
                                   "Only the limit of this `team/project`.")
                            .query("key", &LimitsQuery::key, nullable(string()),
                                   "Only the limit of this `key_id`."),
              .reply = http::pageCodec("LimitPage", limitCodec())},
             listLimits);
  routes.get("/api/v1/limits/{id}",
             {"readLimit", "Show a limit", "Includes the cost of the current period."},
             readVersioned(limitPath(), limitCodec()), showLimit);
  routes.patch("/api/v1/limits/{id}",
               {"updateLimit", "Change a limit",
                "Null removes a value. For users who may create the limit."},
               changeVersioned(limitPath(), limitChangeCodec(), limitCodec()), changeLimit);
  routes.remove("/api/v1/limits/{id}",
                {"deleteLimit", "Remove a limit", "For users who may create the limit."},
                removeVersioned(limitPath()), removeLimit);
}

}  // namespace spindle::inference
