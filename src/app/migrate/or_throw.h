#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/core/result.h"

namespace spindle::app {

/// Returns the value of a result. @throws std::runtime_error with `what` and the message of its
/// error.
template <class T>
T orThrow(Result<T> result, std::string_view what) {
  if (!result) throw std::runtime_error(std::string(what) + ": " + result.error().message());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace spindle::app
