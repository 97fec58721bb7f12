// Sends spans over OTLP as fast as they are acknowledged.
//
//   span_load HOST PORT KEY CONNECTIONS BATCH SPANS protobuf|json PATH PROJECT...
//
// SPANS spans in requests of BATCH, each to the next PROJECT in turn. Prints one line of JSON:
// spans, seconds, rate, p50 and p99 of a request in milliseconds.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "otlp/span_source.h"
#include "traces/http_load.h"

int main(int argc, char** argv) {
  if (argc < 10) {
    std::fprintf(stderr,
                 "usage: span_load HOST PORT KEY CONNECTIONS BATCH SPANS protobuf|json PATH "
                 "PROJECT...\n");
    return 2;
  }
  spindle::bench::LoadPlan plan;
  plan.host = argv[1];
  plan.port = static_cast<std::uint16_t>(std::atoi(argv[2]));
  const std::string key = argv[3];
  plan.connections = std::strtoull(argv[4], nullptr, 10);
  plan.batch = std::strtoull(argv[5], nullptr, 10);
  plan.items = std::strtoull(argv[6], nullptr, 10);
  const bool json = std::string(argv[7]) == "json";
  const std::string path = argv[8];
  const std::vector<std::string> projects(argv + 9, argv + argc);

  spindle::bench::runLoad(
      plan, "spans", [&](std::uint64_t number, std::uint64_t from, std::uint64_t to) {
        const std::string headers = "Authorization: Bearer " + key +
                                    "\r\nproject_id: " + projects[number % projects.size()] +
                                    "\r\nContent-Type: application/" +
                                    (json ? "json" : "x-protobuf") + "\r\n";
        const std::string body = json ? spindle::bench::jsonRequest(from, to)
                                      : spindle::bench::protobufRequest(from, to);
        return spindle::bench::postRequest(path, headers, body);
      });
  return 0;
}
