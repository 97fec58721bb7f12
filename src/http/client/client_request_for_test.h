#pragma once

#include <string>
#include <utility>

#include "http/client/client.h"

namespace spindle::http {

/// Returns a GET request with the default options.
inline ClientRequest get(std::string url) {
  ClientRequest request;
  request.url = std::move(url);
  return request;
}

}  // namespace spindle::http
