#pragma once

#include "config/settings.h"
#include "http/router/route.h"

namespace spindle::app {

// The policies of the route groups: error format, credentials and limits of the settings.

http::RoutePolicy managementPolicy(const config::Settings& settings);
http::RoutePolicy tracingPolicy(const config::Settings& settings);
http::RoutePolicy inferencePolicy(const config::Settings& settings);
http::RoutePolicy trainingPolicy(const config::Settings& settings);

}  // namespace spindle::app
