#pragma once

#include <string>

#include "base/result.h"
#include "inference/engine_fleet.h"

namespace spindle::inference {

/// The answer of an engine to `/health`. @return kUpstream for what is none.
Result<EngineHealth> engineHealthOf(int status, std::string body);

/// The body that has an engine load an adapter.
std::string adapterRequest(const AdapterFile& adapter);

/// What an engine says about a request that it refused: kInvalidArgument for 4xx, else
/// kUnavailable.
Error refusalOf(int status, std::string body);

}  // namespace spindle::inference
