#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::identity {
class Access;
}

namespace spindle::pricing {

class PriceRepository;

/// Dependencies of the routes. Everything must outlive the router.
struct PricingServices {
  PriceRepository& prices;
  identity::Access& access;
};

using PricingRoutes = http::RouteGroup<PricingServices>;

/// Adds /cost/create, /cost/query and /cost/purge.
void addPricingRoutes(PricingRoutes routes);

}  // namespace spindle::pricing
