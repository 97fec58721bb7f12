#pragma once

#include <string>

#include "base/core/result.h"
#include "inference/engines/engine_fleet.h"

namespace spindle::inference {

/// Parses the response of an engine to `/health`. @return kUpstream for an invalid response.
Result<EngineHealth> engineHealthOf(int status, std::string body);

/// Returns the request body that loads an adapter.
std::string adapterRequest(const AdapterFile& adapter);

/// Returns the error of a request that an engine rejected: kInvalidArgument for 4xx, else
/// kUnavailable.
Error refusalOf(int status, std::string body);

}  // namespace spindle::inference
