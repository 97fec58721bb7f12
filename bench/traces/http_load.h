#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace spindle::bench {

/// Target, connections, number of items and rate of a load.
struct LoadPlan {
  std::string host;
  std::uint16_t port = 0;
  std::uint64_t connections = 0;
  std::uint64_t batch = 0;  ///< items a request
  std::uint64_t items = 0;
  double rate = 0;  ///< items per second; 0: as fast as they are acknowledged
};

/// Returns the complete request of items [from, to); `number` counts requests. Called by many
/// threads.
using MakeRequest =
    std::function<std::string(std::uint64_t number, std::uint64_t from, std::uint64_t to)>;

/// Returns a POST with a body.
std::string postRequest(const std::string& path,
                        const std::string& headers,
                        const std::string& body);

/// Sends everything and prints one line of JSON: `items` under the given name, seconds, rate, p50,
/// p99 and max of a request in milliseconds. Any status except 200 ends the program.
void runLoad(const LoadPlan& plan, const char* items_name, const MakeRequest& make);

}  // namespace spindle::bench
