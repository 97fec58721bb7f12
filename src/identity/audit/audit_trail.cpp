#include "identity/audit/audit_trail.h"

#include <algorithm>
#include <optional>

#include "base/core/request_origin.h"
#include "base/core/utf8.h"
#include "base/crypto/id.h"
#include "json/writer.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Session;

/// Maximum bytes of a text of an entry.
constexpr std::size_t kMaxAuditText = 512;

/// Returns the text, cut after at most kMaxAuditText bytes, at the start of a character.
std::string_view cut(std::string_view text) {
  if (text.size() <= kMaxAuditText) return text;
  std::size_t end = kMaxAuditText;
  while (end > 0 && !beginsCharacter(text[end])) --end;
  return text.substr(0, end);
}

/// Returns a header value as storable text: everything but printable ASCII becomes a question mark.
std::string printable(std::string_view header) {
  std::string text(cut(header));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::optional<std::string> optionalText(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return std::string(cut(text));
}

std::optional<std::string> detailsJson(const AuditChange& change) {
  if (change.details.empty()) return std::nullopt;
  std::string text;
  json::Writer writer(text);
  writer.beginObject();
  for (const auto& [name, value] : change.details) writer.key(name).string(cut(value));
  writer.endObject();
  return text;
}

/// The team and the project of a change, with the names that they have now.
struct AuditPlace {
  std::optional<std::string> team_id;
  std::optional<std::string> team;
  std::optional<std::string> project_id;
  std::optional<std::string> project;
};

Result<AuditPlace> placeOf(Session& session, const AuditChange& change) {
  AuditPlace place;
  place.team_id = optionalText(change.team_id);
  place.project_id = optionalText(change.project_id);
  if (place.project_id) {
    const std::optional<Row> project = TRY(session.queryOne(
        "SELECT p.name AS project, t.id AS team_id, t.name AS team FROM projects p "
        "JOIN teams t ON t.id = p.team_id WHERE p.id = ?",
        {*place.project_id}));
    if (project.has_value()) {
      place.project = project->text("project");
      place.team_id = project->text("team_id");
      place.team = project->text("team");
    }
  } else if (place.team_id) {
    const std::optional<Row> team =
        TRY(session.queryOne("SELECT name FROM teams WHERE id = ?", {*place.team_id}));
    if (team.has_value()) place.team = team->text("name");
  }
  return place;
}

}  // namespace

Result<void> recordChange(Session& session, const AuditChange& change, Timestamp now) {
  const AuditPlace place = TRY(placeOf(session, change));
  RequestOrigin origin;
  if (const RequestOrigin* current = RequestOriginScope::current()) origin = *current;
  if (origin.user_id.empty()) {
    origin.user_id = change.actor_id;
    origin.username = change.actor;
  }
  std::optional<std::string> actor = optionalText(origin.username);
  if (!actor && !origin.user_id.empty()) {
    const std::optional<Row> user =
        TRY(session.queryOne("SELECT username FROM users WHERE id = ?", {origin.user_id}));
    if (user.has_value()) actor = user->text("username");
  }
  TRY(session.execute(
      "INSERT INTO audit_entries (id, created_at, actor_id, actor, credential, action, target_id, "
      "target_name, team_id, team, project_id, project, address, user_agent, request_id, details) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {newPrefixedId("aud_", now), now, optionalText(origin.user_id), actor,
       optionalText(origin.credential), change.action, optionalText(change.target_id),
       optionalText(change.target_name), place.team_id, place.team, place.project_id, place.project,
       optionalText(origin.address), optionalText(printable(origin.user_agent)),
       optionalText(printable(origin.request_id)), detailsJson(change)}));
  return {};
}

Result<void> AuditTrail::recordBefore(const AuditChange& change) {
  return database_.write(
      [&](Session& session) { return recordChange(session, change, clock_.now()); });
}

}  // namespace spindle::identity
