#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::backup {
class BackupHolds;
}
namespace spindle::identity {
class Access;
}

namespace spindle::app {

/// Adds `/api/v1/backup/holds`, which `spindle backup` uses to copy the data folder of a running
/// server. Organization admins only. All arguments must outlive the router.
void addBackupRoutes(http::Router& router,
                     backup::BackupHolds& holds,
                     identity::Access& access,
                     const http::RoutePolicy& policy);

}  // namespace spindle::app
