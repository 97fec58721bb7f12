#pragma once

#include "config/settings.h"
#include "http/target_rules.h"

namespace spindle::app {

/// What the settings say about hosts that somebody has named: endpoints of webhooks, data to train
/// on.
http::TargetOptions targetOptions(const config::Settings& settings);

}  // namespace spindle::app
