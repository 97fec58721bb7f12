#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "app/wiring/stack_context.h"
#include "base/core/schedule_clock.h"
#include "cluster/membership.h"
#include "cluster/shared_limits.h"
#include "identity/access/access.h"
#include "identity/access/admin_bootstrap.h"
#include "identity/access/authenticator.h"
#include "identity/audit/audit_trail.h"
#include "identity/sessions/password_hasher.h"
#include "identity/sessions/session_authenticator.h"
#include "identity/sessions/sign_in.h"
#include "identity/store/access_facts_repository.h"
#include "identity/store/api_key_repository.h"
#include "identity/store/audit_repository.h"
#include "identity/store/credential_repository.h"
#include "identity/store/idempotency_store.h"
#include "identity/store/invitation_repository.h"
#include "identity/store/preference_repository.h"
#include "identity/store/project_repository.h"
#include "identity/store/session_repository.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_repository.h"
#include "live/change_log.h"
#include "storage/database/database.h"
#include "storage/folder/key_ring.h"

namespace spindle::app {

/// The interval at which stacks poll a shared database for changes by other servers.
inline constexpr std::chrono::milliseconds kSharedPoll{1000};

/// Background tasks of a deployment that one server at a time does; see cluster::Membership.
inline constexpr std::string_view kMaintenanceTask = "maintenance";
inline constexpr std::string_view kDeliveryTask = "deliveries";

/// The metadata database, opened and migrated, the users, teams, keys and projects in it, and the
/// log of recent changes of all areas.
/// Shared by the server and the command line. Members are constructed in this order and destroyed
/// in reverse.
class IdentityStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  explicit IdentityStack(const StackContext& context);

  /// Removes old audit entries, expired sessions and forgotten nodes. Call it about once a minute,
  /// from one thread of the deployment.
  void runMaintenance();
  /// Moves the schedule forward if it is behind the clock of PostgreSQL, as after a suspension of
  /// the machine. Call it every few seconds, from one thread. Blocks.
  void followDatabaseClock();
  /// Stores which keys and sessions were used. @return false if that failed.
  bool flushUses();
  /// Returns the rates that all servers of the deployment share, or null.
  cluster::SharedRates* sharedRates() const;

  live::ChangeLog changes;
  storage::KeyRing key_ring;
  std::unique_ptr<storage::Database> database;
  /// Clock for leases, retries and rate limits. The servers of one PostgreSQL database agree in it.
  ScheduleClock schedule;
  cluster::Membership membership;  ///< its id is the worker name of this server
  /// Null with SQLite: no other server applies the limits.
  const std::unique_ptr<cluster::SharedLimits> shared_limits;
  identity::AuditTrail audit_trail;
  identity::AuditRepository audit;
  identity::UserRepository users;
  identity::TeamRepository teams;
  identity::ApiKeyRepository keys;
  identity::ProjectRepository projects;
  identity::PreferenceRepository preferences;
  identity::InvitationRepository invitations;
  identity::AccessFactsRepository access_facts;
  identity::Access access;
  identity::Authenticator authenticator;
  identity::IdempotencyStore idempotency;
  identity::SessionRepository sessions;
  identity::CredentialRepository credentials;
  identity::PasswordHasher passwords;
  identity::SessionAuthenticator session_authenticator;
  identity::SignIn sign_in;

 private:
  const Clock& clock_;
  const std::chrono::hours audit_retention_;
  Timestamp next_cleanup_;  ///< of expired sessions
};

}  // namespace spindle::app
