#include "app/wiring/identity_stack.h"

#include <stdexcept>
#include <utility>

#include "app/metadata/metadata_database.h"
#include "app/server/version.h"
#include "app/server/worker_name.h"
#include "app/wiring/log.h"
#include "backup/data_layout.h"
#include "backup/metadata_check.h"
#include "storage/copy/move_record.h"

namespace spindle::app {
namespace {

constexpr std::chrono::hours kSessionCleanupInterval{1};
/// Beyond it, times that users see differ between servers.
constexpr std::chrono::seconds kClockTolerance{2};

/// Loads the secret key. Refuses a folder without its metadata or key before creating new ones.
storage::KeyRing loadKeyRing(const config::Settings& settings, const storage::DataFolder& folder) {
  if (!settings.storage.usesPostgres()) {
    backup::requireMetadata(folder.path());
    if (settings.storage.secret_key.empty()) backup::requireSecretKey(folder.path());
  }
  return storage::KeyRing::load(folder, settings.storage.secret_key);
}

std::unique_ptr<storage::Database> openDatabase(const StackContext& context,
                                                const storage::KeyRing& key_ring) {
  std::unique_ptr<storage::Database> database =
      storage::Database::open(metadataOptions(context.settings, context.folder), context.metrics);
  database->migrate(metadataSchemas(), context.clock.now());
  storage::requireNoUnfinishedMove(*database);
  key_ring.confirm(*database);
  return database;
}

Timestamp scheduleTime(storage::Database& database, const Clock& clock) {
  const Result<Timestamp> time = database.time(clock);
  if (!time) throw std::runtime_error("cannot read the time: " + time.error().message());
  const auto ahead = std::chrono::abs(*time - clock.now());
  if (ahead > kClockTolerance) {
    kLog.warning("clock_differs_from_database",
                 {{"seconds", std::chrono::floor<std::chrono::seconds>(ahead).count()}});
  }
  return *time;
}

cluster::MembershipOptions membershipOptions(const StackContext& context) {
  std::string roles = "api,background";
  if (context.settings.training.local) roles += ",trainer";
  return {.id = workerName(context.folder, context.settings.storage.usesPostgres()),
          .version = std::string(version()),
          .roles = std::move(roles),
          .tasks = {std::string(kMaintenanceTask), std::string(kDeliveryTask),
                    std::string(cluster::Membership::kLossTask)}};
}

}  // namespace

IdentityStack::IdentityStack(const StackContext& context)
    : key_ring(loadKeyRing(context.settings, context.folder)),
      database(openDatabase(context, key_ring)),
      schedule(scheduleTime(*database, context.clock)),
      membership(*database, {context.clock, schedule}, membershipOptions(context)),
      shared_limits(membership.isAlone() ? nullptr
                                         : std::make_unique<cluster::SharedLimits>(
                                               *database, schedule, membership.id())),
      audit_trail(*database, context.clock),
      audit(*database),
      users(*database, context.clock),
      teams(*database, context.clock),
      keys(*database, context.clock, key_ring.derive("api-keys")),
      projects(*database, context.clock),
      preferences(*database, context.clock),
      invitations(*database, context.clock, key_ring.derive("invitations")),
      access_facts(*database),
      access(access_facts, projects),
      authenticator(keys, context.clock),
      idempotency(*database, schedule, key_ring.derive("idempotency")),
      sessions(*database, context.clock, key_ring.derive("sessions")),
      credentials(*database, context.clock, key_ring.derive("sign-in-codes")),
      passwords(key_ring.derive("passwords")),
      session_authenticator(
          sessions,
          context.clock,
          key_ring.derive("csrf"),
          {context.settings.auth.session_idle, context.settings.auth.session_lifetime}),
      sign_in({users, keys, sessions, credentials, authenticator, passwords, context.clock,
               schedule, sharedRates()},
              session_authenticator.times()),
      clock_(context.clock),
      audit_retention_(24 * context.settings.audit.retention_days) {}

void IdentityStack::followDatabaseClock() {
  const Result<Timestamp> time = database->time(schedule);
  if (time && schedule.catchUp(*time)) kLog.warning("schedule_moved_forward");
}

void IdentityStack::runMaintenance() {
  logFailure(membership.forgetLostNodes(), "nodes_not_forgotten");
  logCount(
      audit.removeBefore(clock_.now() - audit_retention_),
      {.failed = "audit_entries_not_expired", .done = "audit_entries_expired", .field = "entries"});
  if (schedule.now() < next_cleanup_) return;
  next_cleanup_ = schedule.now() + kSessionCleanupInterval;
  logFailure(session_authenticator.removeExpired(), "sessions_not_removed");
}

cluster::SharedRates* IdentityStack::sharedRates() const {
  return shared_limits ? &shared_limits->rates() : nullptr;
}

bool IdentityStack::flushUses() {
  const Result<void> keys_flushed = authenticator.flushUses();
  logFailure(keys_flushed, "key_uses_not_recorded");
  const Result<void> sessions_flushed = session_authenticator.flushUses();
  logFailure(sessions_flushed, "session_uses_not_recorded");
  return keys_flushed.has_value() && sessions_flushed.has_value();
}

}  // namespace spindle::app
