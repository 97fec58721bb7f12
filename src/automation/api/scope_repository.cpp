#include "automation/api/scope_repository.h"

#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using storage::Params, storage::Row, storage::Session;

/// Returns the id of the selected row, or nothing.
Result<std::optional<std::string>> idOf(Session& session, SqlView sql, const Params& params) {
  const std::optional<Row> row = TRY(session.queryOne(sql, params));
  if (!row.has_value()) return std::optional<std::string>();
  return std::optional(row->text("id"));
}

}  // namespace

Result<std::optional<Scope>> ScopeRepository::scopeOf(const events::Subject& subject) {
  return database_.read([&](Session& session) -> Result<std::optional<Scope>> {
    Scope scope;
    if (!subject.registry_id.empty()) {
      const std::optional<Row> registry = TRY(session.queryOne(
          "SELECT name FROM published_registries WHERE id = ? AND deleted_at IS NULL",
          {subject.registry_id}));
      if (!registry.has_value()) return std::optional<Scope>();
      scope.type = ScopeType::kRegistry;
      scope.registry_id = subject.registry_id;
      scope.registry = registry->text("name");
      return std::optional(scope);
    }
    if (subject.team_id.empty()) return std::optional(scope);
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT t.name AS team, p.name AS project FROM published_teams t "
        "LEFT JOIN published_projects p ON p.id = ? AND p.team_id = t.id WHERE t.id = ?",
        {subject.project_id, subject.team_id}));
    if (!row.has_value()) return std::optional<Scope>();
    scope.type = ScopeType::kTeam;
    scope.team_id = subject.team_id;
    scope.team = row->text("team");
    if (subject.project_id.empty()) return std::optional(scope);
    if (row->isNull("project")) return std::optional<Scope>();
    scope.type = ScopeType::kProject;
    scope.project_id = subject.project_id;
    scope.project = row->text("project");
    return std::optional(scope);
  });
}

Result<std::optional<events::EventFilter>> ScopeRepository::resolve(const EventQuery& query) {
  return database_.read([&](Session& session) -> Result<std::optional<events::EventFilter>> {
    events::EventFilter filter;
    filter.type = query.type;
    filter.run_id = query.run_id;
    filter.since = query.since;
    bool all_known = true;
    const auto look_up = [&](std::optional<std::string>& id, SqlView sql,
                             const Params& params) -> Result<void> {
      const std::optional<std::string> found = TRY(idOf(session, sql, params));
      id = found;
      all_known = all_known && id.has_value();
      return {};
    };
    Result<void> looked;
    if (query.team) {
      looked =
          look_up(filter.team_id, "SELECT id FROM published_teams WHERE name = ?", {*query.team});
    }
    if (looked && query.project && filter.team_id) {
      looked = look_up(filter.project_id,
                       "SELECT id FROM published_projects WHERE team_id = ? AND name = ?",
                       {*filter.team_id, *query.project});
    }
    if (looked && query.registry) {
      looked = look_up(filter.registry_id,
                       "SELECT id FROM published_registries WHERE name = ? AND deleted_at IS NULL",
                       {*query.registry});
    }
    if (looked && query.collection && all_known) {
      looked = look_up(
          filter.collection_id,
          "SELECT id FROM published_collections WHERE coalesce(registry_id, project_id) = ? "
          "AND name = ? AND deleted_at IS NULL",
          {filter.registry_id ? *filter.registry_id : filter.project_id.value_or(""),
           *query.collection});
    }
    if (!looked) return looked.error();
    if (!all_known) return std::optional<events::EventFilter>();
    return std::optional(std::move(filter));
  });
}

}  // namespace spindle::automation
