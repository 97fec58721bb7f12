#pragma once

#include <set>

#include "http/router/route.h"

namespace spindle::http {

/// Returns every status that a response of the route can have. Most follow from properties of the
/// route: its credentials, method, parameters and body, and the error shape of its policy. The rest
/// is the route's own list (RouteDocumentation::statuses). A route cannot declare that a POST only
/// reads, so 409 and 507 are listed for every method except GET.
///
/// A request with an invalid head has no route: its statuses 400, 408, 414, 417, 431 and 501, and
/// the 405 of an unsupported method, belong to no operation.
std::set<int> documentedStatuses(const Route& route);

}  // namespace spindle::http
