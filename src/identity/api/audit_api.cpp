#include "identity/api/audit_api.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/message/body_stream.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/audit_csv.h"
#include "identity/api/user_view.h"
#include "identity/store/audit_repository.h"
#include "identity/store/team_repository.h"

namespace spindle::identity {
namespace {

using http::Context;
using schema::nullable, schema::string;

constexpr int kExportPage = 200;
constexpr std::string_view kCsvType = "text/csv; charset=utf-8";

struct ActorView {
  std::optional<std::string> id;
  std::optional<std::string> username;
  std::optional<std::string> credential;
};
struct TargetView {
  std::string kind;
  std::optional<std::string> id;
  std::optional<std::string> name;
};
struct AuditView {
  std::string id;
  Timestamp created_at;
  ActorView actor;
  std::string action;
  TargetView target;
  std::optional<std::string> team;
  std::optional<std::string> project;
  std::optional<std::string> address;
  std::optional<std::string> user_agent;
  std::optional<std::string> request_id;
  json::Text details;
};

struct AuditSelection {
  std::optional<std::string> team;
  std::optional<std::string> actor;
  std::optional<std::string> action;
  std::optional<Timestamp> since;
  std::optional<Timestamp> until;
};
struct AuditQuery : http::PageQuery, AuditSelection {};
struct ExportQuery : AuditSelection {
  std::string format = "jsonl";
};

AuditView auditViewOf(const AuditEntry& entry) {
  AuditView view;
  view.id = entry.id;
  view.created_at = entry.created_at;
  view.actor = {entry.actor_id, entry.actor, entry.credential};
  view.action = entry.action;
  view.target = {std::string(entry.targetKind()), entry.target_id, entry.target_name};
  view.team = entry.team;
  view.project = entry.project;
  view.address = entry.address;
  view.user_agent = entry.user_agent;
  view.request_id = entry.request_id;
  view.details = json::Text{entry.details.value_or("{}")};
  return view;
}

schema::Codec<AuditView> auditCodec() {
  const auto text = nullable(string());
  const auto actor = schema::Record<ActorView>("AuditActor")
                         .required("id", &ActorView::id, text)
                         .required("username", &ActorView::username, text)
                         .required("credential", &ActorView::credential, text,
                                   "Public id of the API key, or the id of the session.")
                         .codec();
  const auto target = schema::Record<TargetView>("AuditTarget")
                          .required("kind", &TargetView::kind, string())
                          .required("id", &TargetView::id, text)
                          .required("name", &TargetView::name, text)
                          .codec();
  return schema::Record<AuditView>("AuditEntry")
      .required("id", &AuditView::id, string())
      .required("created_at", &AuditView::created_at, schema::dateTime())
      .required("actor", &AuditView::actor, actor,
                "All null: the server itself, or somebody who was not signed in.")
      .required("action", &AuditView::action, string(), "Such as `api_key.create`.")
      .required("target", &AuditView::target, target)
      .required("team", &AuditView::team, text, "Name at the time of the change.")
      .required("project", &AuditView::project, text, "Name at the time of the change.")
      .required("address", &AuditView::address, text, "Address of the client.")
      .required("user_agent", &AuditView::user_agent, text)
      .required("request_id", &AuditView::request_id, text)
      .required("details", &AuditView::details, schema::jsonObject(),
                "Facts about the change, as texts. Never a secret value.")
      .codec();
}

template <class P>
http::Parameters<P> withSelection(http::Parameters<P> parameters) {
  const auto name = nullable(string({.max_length = 128}));
  const auto time = nullable(schema::dateTime());
  parameters.query("team", &AuditSelection::team, name, "Only changes in this team.")
      .query("actor", &AuditSelection::actor, name, "Only changes by this user.")
      .query("action", &AuditSelection::action, name,
             "Only this action (`webhook.delete`), or all actions on a kind of target "
             "(`webhook`).")
      .query("since", &AuditSelection::since, time, "Only changes at or after this time.")
      .query("until", &AuditSelection::until, time, "Only changes before this time.");
  return parameters;
}

/// Returns the filter of the entries that the caller may read.
Result<AuditFilter> visibleEntries(const AuditServices& services,
                                   const Context& context,
                                   const AuditSelection& selection) {
  const std::string& caller = context.caller().user_id;
  AuditFilter filter;
  filter.actor = selection.actor;
  filter.action = selection.action;
  filter.since = selection.since;
  filter.until = selection.until;
  if (TRY(services.access.isOrganizationAdmin(caller))) {
    // By name: the entries of a deleted team stay readable.
    filter.team = selection.team;
    return filter;
  }
  filter.team_ids.emplace();
  if (selection.team) {
    const TeamAccess team =
        TRY(services.access.requireInTeam(caller, *selection.team, Action::kReadAudit));
    filter.team_ids->push_back(team.team_id);
    return filter;
  }
  const std::vector<TeamOfUser> teams = TRY(services.teams.teamsOf(caller));
  for (const TeamOfUser& entry : teams) {
    const bool admin = entry.membership.role == TeamRole::kAdmin && !entry.membership.pending;
    if (admin) filter.team_ids->push_back(entry.team.id);
  }
  if (filter.team_ids->empty()) {
    TRY(services.access.requireInOrganization(caller, Action::kReadAudit));
  }
  return filter;
}

Result<http::PageReply<AuditView>> listAudit(const AuditServices& services,
                                             const Context& context,
                                             const AuditQuery& query) {
  const AuditFilter filter = TRY(visibleEntries(services, context, query));
  const PageRequest request = TRY(pageRequestOf(query));
  const Page<AuditEntry> page = TRY(services.entries.list(filter, request));
  return pageReply<AuditView>(page, auditViewOf);
}

/// Reads the entries of an export page by page, as lines of JSON or CSV.
class AuditExport {
 public:
  AuditExport(AuditRepository& entries, AuditFilter filter, bool csv)
      : entries_(entries), filter_(std::move(filter)), csv_(csv) {
    request_.limit = kExportPage;
  }

  http::BodyStream::State next(std::string& piece) {
    using State = http::BodyStream::State;
    piece.clear();
    if (done_) return State::kEnd;
    const Result<Page<AuditEntry>> page = entries_.list(filter_, request_);
    if (!page) return State::kBroken;
    if (csv_ && request_.after.empty()) piece = auditCsvHeader();
    for (const AuditEntry& entry : page->items) {
      if (csv_) {
        appendAuditCsv(entry, piece);
        continue;
      }
      piece += codec_.toJson(auditViewOf(entry));
      piece += '\n';
    }
    done_ = !page->next;
    if (page->next) request_.after = *page->next;
    return piece.empty() ? State::kEnd : State::kChunk;
  }

 private:
  AuditRepository& entries_;
  const AuditFilter filter_;
  const bool csv_;
  const schema::Codec<AuditView> codec_ = auditCodec();
  PageRequest request_;
  bool done_ = false;
};

Result<http::Reply<http::Nothing>> exportAudit(const AuditServices& services,
                                               const Context& context,
                                               const ExportQuery& query) {
  AuditFilter filter = TRY(visibleEntries(services, context, query));
  const bool csv = query.format == "csv";
  auto source = std::make_shared<AuditExport>(services.entries, std::move(filter), csv);
  http::Reply<http::Nothing> reply{http::Nothing{}};
  reply.stream = std::make_shared<http::PulledBody>(
      [source](std::string& piece) { return source->next(piece); });
  reply.with("Content-Disposition",
             csv ? "attachment; filename=\"audit.csv\"" : "attachment; filename=\"audit.jsonl\"");
  reply.with("Content-Type", csv ? kCsvType : http::kLinesType);
  return reply;
}

}  // namespace

void addAuditRoutes(AuditRoutes routes) {
  routes.setTag("audit");
  routes.get("/api/v1/audit",
             {"listAudit", "List changes",
              "Who changed what, newest first. Organization admins see all entries; team admins "
              "those of their teams."},
             {.params = withSelection(http::pageParameters<AuditQuery>()),
              .reply = http::pageCodec("AuditPage", auditCodec())},
             listAudit);
  http::Route& exported = routes.get(
      "/api/v1/audit/export",
      {"exportAudit", "Export changes", "All entries that the caller may list, newest first."},
      {.params = withSelection(http::Parameters<ExportQuery>())
                     .query("format", &ExportQuery::format, schema::literal({"jsonl", "csv"}),
                            "JSON Lines, or CSV with a header.")},
      exportAudit);
  exported.reply_type = http::kLinesType;
  exported.describe_reply = [codec = auditCodec()](json::Writer& out,
                                                   schema::Components& components) {
    codec.type()->describe(out, components);
  };
  exported.other_reply_types = {{"text/csv", [](json::Writer& out, schema::Components&) {
                                   schema::writeType(out, "string");
                                 }}};
}

}  // namespace spindle::identity
