#include "identity/store/migrations.h"

namespace spindle::identity {

storage::AreaSchema identitySchema() {
  return {
      "identity",
      {{1, "users, teams, projects and API keys", R"sql(
    CREATE TABLE teams (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      default_artifact_ttl_days BIGINT,
      ttl_permission TEXT NOT NULL,
      version BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL);

    -- A service account of one team goes with its team.
    CREATE TABLE users (
      id TEXT PRIMARY KEY,
      username TEXT NOT NULL,
      username_key TEXT NOT NULL UNIQUE,
      email TEXT,
      email_key TEXT UNIQUE,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      organization_admin BIGINT NOT NULL,
      description TEXT NOT NULL,
      scope TEXT,
      team_id TEXT REFERENCES teams (id) ON DELETE CASCADE,
      version BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL);
    CREATE UNIQUE INDEX users_service_description
      ON users (coalesce(team_id, ''), description) WHERE kind = 'service';

    CREATE TABLE memberships (
      id TEXT PRIMARY KEY,
      team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      role TEXT NOT NULL,
      pending BIGINT NOT NULL,
      version BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      UNIQUE (team_id, user_id));
    CREATE INDEX memberships_of_user ON memberships (user_id);

    CREATE TABLE projects (
      id TEXT PRIMARY KEY,
      team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      visibility TEXT NOT NULL,
      description TEXT NOT NULL,
      version BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      UNIQUE (team_id, name));

    -- A row without a role adds the user to a restricted project under the team role.
    CREATE TABLE project_roles (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      role TEXT,
      PRIMARY KEY (project_id, user_id));
    CREATE INDEX project_roles_of_user ON project_roles (user_id);

    CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      key_id TEXT NOT NULL UNIQUE,
      digest TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT,
      last_used_at BIGINT,
      UNIQUE (owner_id, name));

    -- Digests of the admin keys that a start has installed, kept after they were revoked.
    CREATE TABLE bootstrap_keys (
      digest TEXT PRIMARY KEY,
      source TEXT NOT NULL,
      installed_at BIGINT NOT NULL);

    CREATE TABLE idempotency_keys (
      id TEXT PRIMARY KEY,
      request_digest TEXT NOT NULL,
      lease TEXT NOT NULL,
      leased_until BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      answer TEXT);
    CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
  )sql"},
       {2, "quotas", R"sql(
    -- As the settings of the server that started last say. 0, or no row: no limit.
    CREATE TABLE quotas (name TEXT PRIMARY KEY, amount BIGINT NOT NULL);
  )sql"},
       {3, "views for other areas", R"sql(
    CREATE VIEW published_teams AS SELECT id, name, default_artifact_ttl_days FROM teams;
    CREATE VIEW published_users AS
      SELECT id, username, username_key, kind, organization_admin, scope, team_id FROM users;
    CREATE VIEW published_memberships AS SELECT team_id, user_id, role, pending FROM memberships;
    CREATE VIEW published_projects AS SELECT id, team_id, name, visibility FROM projects;
    CREATE VIEW published_project_roles AS SELECT project_id, user_id FROM project_roles;
    CREATE VIEW published_api_keys AS SELECT key_id, owner_id, name FROM api_keys;
  )sql"},
       {4, "sessions, passwords and sign-in codes", R"sql(
    CREATE TABLE user_credentials (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      password TEXT,
      password_changed_at BIGINT,
      last_sign_in_at BIGINT);

    -- A session that was opened with an API key ends with the key.
    CREATE TABLE user_sessions (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      api_key_id TEXT REFERENCES api_keys (id) ON DELETE CASCADE,
      digest TEXT NOT NULL UNIQUE,
      client TEXT NOT NULL,
      address TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      last_used_at BIGINT NOT NULL);
    CREATE INDEX user_sessions_of_user ON user_sessions (user_id);
    CREATE INDEX user_sessions_of_api_key ON user_sessions (api_key_id);

    CREATE TABLE sign_in_codes (
      digest TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      expires_at BIGINT NOT NULL);
    CREATE INDEX sign_in_codes_of_user ON sign_in_codes (user_id);
  )sql"},
       {5, "audit log", R"sql(
    -- No foreign keys: an entry outlives its actor, its target and its team.
    CREATE TABLE audit_entries (
      id TEXT PRIMARY KEY,
      created_at BIGINT NOT NULL,
      actor_id TEXT,
      actor TEXT,
      credential TEXT,
      action TEXT NOT NULL,
      target_id TEXT,
      target_name TEXT,
      team_id TEXT,
      team TEXT,
      project_id TEXT,
      project TEXT,
      address TEXT,
      user_agent TEXT,
      request_id TEXT,
      details TEXT);
    CREATE INDEX audit_entries_by_time ON audit_entries (created_at);
    CREATE INDEX audit_entries_of_team ON audit_entries (team_id, id);
    CREATE INDEX audit_entries_of_actor ON audit_entries (actor, id);
    CREATE INDEX audit_entries_of_action ON audit_entries (action, id);
    CREATE INDEX audit_entries_of_name ON audit_entries (team, id);
  )sql"},
       {6, "suspended users, preferences", R"sql(
    ALTER TABLE users ADD COLUMN suspended BIGINT NOT NULL DEFAULT 0;

    CREATE TABLE user_preferences (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      preferences TEXT NOT NULL,
      version BIGINT NOT NULL,
      updated_at BIGINT NOT NULL);
  )sql"},
       {7, "invitations, identities of providers", R"sql(
    CREATE TABLE invitations (
      id TEXT PRIMARY KEY,
      team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      creator_id TEXT NOT NULL,
      digest TEXT NOT NULL UNIQUE,
      role TEXT NOT NULL,
      email TEXT,
      uses BIGINT NOT NULL,
      used BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL);
    CREATE INDEX invitations_of_team ON invitations (team_id, id);

    CREATE TABLE external_identities (
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (issuer, subject));
    CREATE INDEX external_identities_of_user ON external_identities (user_id);

    -- Digests of sign-ins that were completed, until they expire.
    CREATE TABLE used_sign_ins (
      digest TEXT PRIMARY KEY,
      expires_at BIGINT NOT NULL);
    CREATE INDEX used_sign_ins_by_expiry ON used_sign_ins (expires_at);
  )sql"},
       {8, "confirmed memberships", R"sql(
    -- Nobody knows who made the older ones.
    ALTER TABLE memberships ADD COLUMN confirmed BIGINT NOT NULL DEFAULT 1;
  )sql"}},
      {"teams", "users", "memberships", "projects", "project_roles", "api_keys", "user_sessions"}};
}

}  // namespace spindle::identity
