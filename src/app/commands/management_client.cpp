#include "app/commands/management_client.h"

#include <stdexcept>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "transfer/server_connection.h"

namespace spindle::app {
namespace {

/// Model files may have hundreds of gigabytes.
constexpr std::chrono::hours kUploadTimeout{24};

http::ClientOptions clientOptions(const transfer::ServerAddress& address) {
  http::ClientOptions options;
  options.ca_file = address.ca_file;
  return options;
}

/// Returns the message of a violation without the prefix that schemas add.
std::string violationMessage(const json::Node& violation) {
  constexpr std::string_view kLeadIn = "Value error, ";
  std::string text = memberText(violation, "msg");
  return text.starts_with(kLeadIn) ? text.substr(kLeadIn.size()) : text;
}

/// Returns the message of an error response, with one line per violation.
std::string errorMessageOf(const http::Response& response) {
  const json::Document answer = parsedResponse(response.body);
  const std::optional<json::Node> detail = answer.root().find("detail");
  if (!detail) return fmt::format("the server responded with status {}", response.status);
  if (detail->isString()) return detail->text();
  std::string text;
  for (const json::Node violation : *detail) {
    const std::optional<json::Node> place = violation.find("loc");
    std::string where;
    for (const json::Node step : *place) {
      const std::string name = step.isString() ? step.text() : std::string(step.raw());
      if (name != "body") where += (where.empty() ? "" : ".") + name;
    }
    if (!where.empty()) where += ": ";
    text += (text.empty() ? "" : "\n") + where + violationMessage(violation);
  }
  return text;
}

}  // namespace

json::Document parsedResponse(std::string body) {
  auto parsed = json::Document::parse(body.empty() ? "{}" : std::move(body));
  if (auto* document = std::get_if<json::Document>(&parsed)) return std::move(*document);
  throw std::runtime_error("the server's response is not valid JSON");
}

void requireSuccess(const http::Response& response) {
  if (response.status >= 300) throw std::runtime_error(errorMessageOf(response));
}

ManagementClient::ManagementClient(transfer::ServerAddress address)
    : address_(std::move(address)), client_(clientOptions(address_)) {}

http::ClientRequest ManagementClient::request(http::Method method, const std::string& path) const {
  http::ClientRequest request;
  request.method = method;
  request.url = address_.url + "/api/v1" + path;
  request.headers.add("Authorization", "Bearer " + std::string(address_.key.reveal()));
  return request;
}

http::Response ManagementClient::send(http::Method method,
                                      const std::string& path,
                                      std::string body) {
  http::ClientRequest call = request(method, path);
  if (!body.empty()) call.headers.add("Content-Type", "application/json");
  call.body = std::move(body);
  call.timeout = timeout_;
  return fetch(std::move(call));
}

json::Document ManagementClient::upload(const std::string& path,
                                        const std::string& file,
                                        std::uint64_t size,
                                        const std::function<void(std::uint64_t)>& sent) {
  http::ClientRequest call = request(http::Method::kPut, path);
  call.headers.add("Content-Type", "application/octet-stream");
  call.body_source = transfer::fileBody(file, size, sent);
  call.timeout = kUploadTimeout;
  http::Response response = fetch(std::move(call));
  requireSuccess(response);
  return parsedResponse(std::move(response.body));
}

http::Response ManagementClient::fetch(http::ClientRequest request) {
  Result<http::Response> response = client_.fetch(std::move(request));
  if (!response) {
    throw std::runtime_error(address_.url + ": " + response.error().message());
  }
  return *std::move(response);
}

json::Document ManagementClient::ask(http::Method method,
                                     const std::string& path,
                                     std::string body) {
  http::Response response = send(method, path, std::move(body));
  requireSuccess(response);
  return parsedResponse(std::move(response.body));
}

void ManagementClient::each(const std::string& path,
                            const std::function<void(const json::Node& item)>& take) {
  std::string cursor;
  do {
    const char* const joint = path.find('?') == std::string::npos ? "?" : "&";
    const json::Document page =
        ask(http::Method::kGet,
            path + joint + "limit=200" + (cursor.empty() ? "" : "&cursor=" + cursor));
    const json::Node items = *page.root().find("items");
    for (const json::Node item : items) take(item);
    cursor = memberText(page.root(), "next_cursor");
  } while (!cursor.empty());
}

std::string memberText(const json::Node& object, std::string_view name) {
  if (!object.isObject()) return {};
  const std::optional<json::Node> value = object.find(name);
  if (!value || value->isNull()) return {};
  return value->isString() ? value->text() : std::string(value->raw());
}

std::string memberList(const json::Node& object, std::string_view name) {
  if (!object.isObject()) return {};
  const std::optional<json::Node> list = object.find(name);
  std::string text;
  if (!list || !list->isArray()) return text;
  for (const json::Node item : *list) text += (text.empty() ? "" : ", ") + item.text();
  return text;
}

}  // namespace spindle::app
