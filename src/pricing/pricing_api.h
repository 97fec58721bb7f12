#pragma once

#include "http/router/route.h"

namespace spindle::http {
class Router;
}
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

/// Adds /cost/create, /cost/query and /cost/purge.
void addPricingRoutes(http::Router& router,
                      const PricingServices& services,
                      const http::RoutePolicy& policy);

}  // namespace spindle::pricing
