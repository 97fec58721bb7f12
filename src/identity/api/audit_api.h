#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::identity {

class Access;
class AuditRepository;
class TeamRepository;

/// Dependencies of the routes. All must outlive the router.
struct AuditServices {
  AuditRepository& entries;
  TeamRepository& teams;
  Access& access;
};

using AuditRoutes = http::RouteGroup<AuditServices>;

/// Adds /api/v1/audit and its export.
void addAuditRoutes(AuditRoutes routes);

}  // namespace spindle::identity
