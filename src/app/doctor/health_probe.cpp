#include "app/doctor/health_probe.h"

#include <chrono>
#include <utility>

#include "http/client/client.h"

namespace spindle::app {

Result<std::string> fetchHealth(const config::ServerSettings& server, const std::string& url) {
  http::ClientOptions options;
  options.connect_timeout = std::chrono::seconds(2);
  options.ca_file = server.tls_certificate.string();
  http::Client client(std::move(options));
  http::ClientRequest request;
  request.url = url;
  request.timeout = std::chrono::seconds(3);
  http::Response response = TRY(client.fetch(std::move(request)));
  if (response.status != 200) return Error(ErrorCode::kUpstream, "the status is not 200");
  return std::move(response.body);
}

}  // namespace spindle::app
