#pragma once

/// Declarations for headers that only refer to the router.
namespace spindle::http {

class Router;
struct RoutePolicy;
template <class Services>
class RouteGroup;

}  // namespace spindle::http
