// Sends complete calls over HTTP as fast as they are acknowledged, or at a given rate.
//
//   call_load HOST PORT KEY CONNECTIONS BATCH CALLS FIRST RATE PROJECT...
//
// CALLS calls, numbered from FIRST on, in batches of BATCH, each batch to the next PROJECT in turn.
// RATE is calls per second, 0 for the maximum. Prints one line of JSON: calls, seconds, rate, p50
// and p99 of a request in milliseconds.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "traces/call_source.h"
#include "traces/http_load.h"

namespace {

constexpr std::int64_t kEpochUs = 1'760'000'000'000'000;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 10) {
    std::fprintf(stderr,
                 "usage: call_load HOST PORT KEY CONNECTIONS BATCH CALLS FIRST RATE PROJECT...\n");
    return 2;
  }
  spindle::bench::LoadPlan plan;
  plan.host = argv[1];
  plan.port = static_cast<std::uint16_t>(std::atoi(argv[2]));
  const std::string key = argv[3];
  plan.connections = std::strtoull(argv[4], nullptr, 10);
  plan.batch = std::strtoull(argv[5], nullptr, 10);
  plan.items = std::strtoull(argv[6], nullptr, 10);
  const std::uint64_t first = std::strtoull(argv[7], nullptr, 10);
  plan.rate = std::strtod(argv[8], nullptr);
  const std::vector<std::string> projects(argv + 9, argv + argc);
  const std::string headers =
      "Authorization: Bearer " + key + "\r\nContent-Type: application/json\r\n";

  spindle::bench::runLoad(
      plan, "calls", [&](std::uint64_t number, std::uint64_t from, std::uint64_t to) {
        const std::string& project = projects[number % projects.size()];
        std::string body = R"({"batch":[)";
        for (std::uint64_t i = from; i < to; ++i) {
          if (i > from) body += ',';
          appendJson(spindle::bench::makeCall(first + i, kEpochUs), project, body);
        }
        body += "]}";
        return spindle::bench::postRequest("/v2/" + project + "/calls/complete", headers, body);
      });
  return 0;
}
