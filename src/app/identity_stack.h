#pragma once

#include <memory>

#include "base/metrics.h"
#include "base/schedule_clock.h"
#include "base/time.h"
#include "config/settings.h"
#include "identity/access.h"
#include "identity/access_facts_repository.h"
#include "identity/admin_bootstrap.h"
#include "identity/api_key_repository.h"
#include "identity/authenticator.h"
#include "identity/idempotency_store.h"
#include "identity/project_repository.h"
#include "identity/team_repository.h"
#include "identity/user_repository.h"
#include "storage/data_folder.h"
#include "storage/database.h"
#include "storage/key_ring.h"

namespace spindle::app {

/// The metadata database, opened and migrated, and the users, teams, keys and projects in it.
/// Shared by the server and the command line. Members are constructed in this order and destroyed
/// in reverse.
class IdentityStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  IdentityStack(const config::Settings& settings,
                const storage::DataFolder& folder,
                MetricRegistry& metrics,
                const Clock& clock);

  const ScheduleClock schedule;  ///< clock for leases, retries and rate limits
  storage::KeyRing key_ring;
  std::unique_ptr<storage::Database> database;
  identity::UserRepository users;
  identity::TeamRepository teams;
  identity::ApiKeyRepository keys;
  identity::ProjectRepository projects;
  identity::AccessFactsRepository access_facts;
  identity::Access access;
  identity::Authenticator authenticator;
  identity::IdempotencyStore idempotency;
};

}  // namespace spindle::app
