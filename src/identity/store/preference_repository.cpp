#include "identity/store/preference_repository.h"

#include <optional>

#include "storage/database/database.h"

namespace spindle::identity {
namespace {

Result<Preferences> preferencesOf(storage::Session& session, std::string_view user_id) {
  const std::optional<storage::Row> row = TRY(session.queryOne(
      "SELECT preferences, version FROM user_preferences WHERE user_id = ?", {user_id}));
  if (!row.has_value()) return Preferences{};
  return Preferences{row->text("preferences"), row->integer("version")};
}

}  // namespace

Result<Preferences> PreferenceRepository::find(std::string_view user_id) {
  return database_.read([&](storage::Session& session) { return preferencesOf(session, user_id); });
}

Result<Preferences> PreferenceRepository::put(std::string_view user_id,
                                              std::string_view json,
                                              IfVersion if_version) {
  return database_.write([&](storage::Session& session) -> Result<Preferences> {
    const Preferences before = TRY(preferencesOf(session, user_id));
    TRY(checkVersion(if_version, before.version));
    TRY(
        session.execute("INSERT INTO user_preferences (user_id, preferences, version, updated_at) "
                        "VALUES (?, ?, ?, ?) ON CONFLICT (user_id) DO UPDATE SET "
                        "preferences = excluded.preferences, version = excluded.version, "
                        "updated_at = excluded.updated_at",
                        {user_id, json, before.version + 1, clock_.now()}));
    return Preferences{std::string(json), before.version + 1};
  });
}

}  // namespace spindle::identity
