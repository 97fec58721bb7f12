#include "app/metadata/metadata_database.h"

#include "agents/store/agents_migrations.h"
#include "automation/rules/migrations.h"
#include "backup/data_layout.h"
#include "cluster/migrations.h"
#include "events/migrations.h"
#include "identity/store/migrations.h"
#include "inference/catalogue/migrations.h"
#include "jobs/migrations.h"
#include "objects/store/migrations.h"
#include "pricing/migrations.h"
#include "registry/repositories/migrations.h"
#include "runs/migrations.h"
#include "s3/blobs/migrations.h"
#include "storage/folder/key_ring.h"
#include "tracing/metadata/tracing_migrations.h"
#include "training/jobs/migrations.h"

namespace spindle::app {

std::vector<storage::AreaSchema> metadataSchemas() {
  return {storage::storageSchema(),
          jobs::jobsSchema(),
          events::eventsSchema(),
          cluster::clusterSchema(),
          s3::s3Schema(),
          identity::identitySchema(),
          registry::registrySchema(),
          runs::runsSchema(),
          objects::objectsSchema(),
          pricing::pricingSchema(),
          tracing::tracingSchema(),
          agents::agentsSchema(),
          automation::automationSchema(),
          inference::inferenceSchema(),
          training::trainingSchema()};
}

storage::DatabaseOptions metadataOptions(const config::Settings& settings,
                                         const storage::DataFolder& folder) {
  storage::DatabaseOptions options;
  options.readers = static_cast<std::size_t>(settings.storage.metadata_readers);
  if (settings.storage.usesPostgres()) {
    options.engine = storage::Engine::kPostgres;
    options.connection = settings.storage.metadata;
  } else {
    options.path = folder.fileAt(backup::kMetadataFile);
  }
  return options;
}

}  // namespace spindle::app
