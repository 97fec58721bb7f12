#include "trainer/worker/server_address.h"

#include <string_view>

namespace spindle::trainer {

Result<std::string> serverAddressOf(std::string typed) {
  const std::string before = "--server " + typed + ": ";
  if (typed.starts_with("unix:")) return typed;
  if (!typed.starts_with("http://") && !typed.starts_with("https://")) {
    return Error::invalidArgument(
        before + "an address begins with http:// or https://, as in http://localhost:8080");
  }
  while (typed.ends_with('/')) typed.pop_back();
  if (typed.find("://") == std::string::npos)
    return Error::invalidArgument(before + "it names no host, as in http://localhost:8080");
  if (typed.find_first_of("?# ") != std::string::npos)
    return Error::invalidArgument(before + "it is not an address, as in http://localhost:8080");
  // The base URLs of API clients; trainers need the part before them.
  for (const std::string_view path : {"/api/v1", "/v1"}) {
    if (!typed.ends_with(path)) continue;
    typed.resize(typed.size() - path.size());
    return Error::invalidArgument(before + "leave out " + std::string(path) + ": --server " +
                                  typed);
  }
  return typed;
}

}  // namespace spindle::trainer
