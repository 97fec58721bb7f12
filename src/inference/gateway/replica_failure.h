#pragma once

#include <chrono>
#include <optional>

#include "base/core/error.h"
#include "http/message/message.h"
#include "inference/gateway/balancer.h"

namespace spindle::inference {

// Classifies the responses and failures of replicas.

bool isGood(int status);

/// Returns true for a status that is caused by the replica and not by the request.
bool isReplicaFailure(int status);

/// Returns the header `Retry-After` in seconds, at most an hour; empty if it is absent or invalid.
std::optional<std::chrono::milliseconds> retryAfter(const http::Response& head);

/// Returns the kind of a failed exchange.
FailureKind kindOf(const Error& error);

}  // namespace spindle::inference
