#pragma once

#include <set>

#include "http/route.h"

namespace spindle::http {

/// Returns every status that a response of the route can have. Most follow from properties of the
/// route: its credentials, method, parameters and body, and the error shape of its policy. The rest
/// is the route's own list (RouteFacts::statuses). A route cannot say that a POST only reads, so
/// 409 and 507 are listed for every method but GET.
///
/// A request whose head cannot be read has no route: 400, 408, 414, 417, 431 and 501 of such a
/// request, and 405 of a method that a path does not have, belong to no operation.
std::set<int> documentedStatuses(const Route& route);

}  // namespace spindle::http
