#include "app/doctor/postgres_probe.h"

#include <memory>
#include <stdexcept>

#include "base/core/metrics.h"
#include "storage/database/database.h"

namespace spindle::app {

Result<std::string> fetchPostgresVersion(const Secret& uri) {
  storage::DatabaseOptions options;
  options.engine = storage::Engine::kPostgres;
  options.connection = uri;
  options.readers = 1;
  options.writers = 1;
  try {
    MetricRegistry metrics;
    const std::unique_ptr<storage::Database> database = storage::Database::open(options, metrics);
    return database->read([](storage::Session& session) -> Result<std::string> {
      storage::Rows rows = TRY(session.query("SHOW server_version"));
      return rows.at(0).text(0);
    });
  } catch (const std::runtime_error& error) {
    return Error::unavailable(error.what());
  }
}

}  // namespace spindle::app
