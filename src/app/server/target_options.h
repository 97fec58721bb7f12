#pragma once

#include "config/settings.h"
#include "http/client/egress_policy.h"

namespace spindle::app {

class LocalUse;

/// Returns the rules of the settings for URLs that users provide: endpoints of webhooks and URLs of
/// training data. With `auto`, `local_use` decides on private targets; it must outlive the rules.
http::EgressOptions targetOptions(const config::Settings& settings, const LocalUse& local_use);

}  // namespace spindle::app
