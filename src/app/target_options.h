#pragma once

#include "config/settings.h"
#include "http/target_rules.h"

namespace spindle::app {

class LocalUse;

/// Returns the rules that the settings give for hosts named by users: endpoints of webhooks, URLs
/// of training data. `local_use` decides on private targets under `auto`; it must outlive the
/// rules.
http::TargetOptions targetOptions(const config::Settings& settings, const LocalUse& local_use);

}  // namespace spindle::app
