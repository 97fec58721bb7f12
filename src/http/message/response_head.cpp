#include "http/message/response_head.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/core/lookup.h"

namespace spindle::http {
namespace {

constexpr std::size_t kMinCompressedBody = 1024;

bool containsIgnoringCase(std::string_view text, std::string_view part) {
  for (std::size_t i = 0; i + part.size() <= text.size(); ++i) {
    if (equalIgnoringCase(text.substr(i, part.size()), part)) return true;
  }
  return false;
}

bool isText(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  if (containsIgnoringCase(type, "event-stream")) return false;
  if (equalIgnoringCase(type.substr(0, 5), "text/")) return true;
  return containsIgnoringCase(type, "json") || containsIgnoringCase(type, "javascript") ||
         containsIgnoringCase(type, "xml");
}

/// Returns true for fields that only the server sets.
bool isServerField(std::string_view name) {
  switch (name.size()) {
    case 4:
      return equalIgnoringCase(name, "Date");
    case 10:
      return equalIgnoringCase(name, "Connection") || equalIgnoringCase(name, "Keep-Alive");
    case 12:
      return equalIgnoringCase(name, "X-Request-Id");
    case 14:
      return equalIgnoringCase(name, "Content-Length");
    case 17:
      return equalIgnoringCase(name, "Transfer-Encoding");
    default:
      return false;
  }
}

void appendNumber(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits{};
  const auto [end, error] = std::to_chars(digits.begin(), digits.end(), number);
  out.append(digits.begin(), end);
}

void appendClean(std::string& out, std::string_view value) {
  const std::size_t start = out.size();
  out += value;
  const auto is_line_end = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), is_line_end, ' ');
}

/// The machine-readable codes of refusals, with the same values as errorResponse().
constexpr auto kCodes = std::to_array<LookupEntry<int>>({{408, "timeout"},
                                                         {413, "too_large"},
                                                         {415, "unsupported_media_type"},
                                                         {500, "internal"},
                                                         {503, "unavailable"}});

}  // namespace

std::string_view reasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 402:
      return "Payment Required";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 424:
      return "Failed Dependency";
    case 425:
      return "Too Early";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 499:
      return "Client Closed Request";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 507:
      return "Insufficient Storage";
    default:
      return "";
  }
}

bool forbidsBody(int status) { return status < 200 || status == 204 || status == 304; }

Response refusalResponse(int status, std::string_view detail, ErrorShape shape) {
  Response response(status);
  response.headers.add("Content-Type", "application/json");
  std::string& body = response.body;
  if (shape == ErrorShape::kOpenAi) {
    body += R"({"error":{"message":")";
    body += detail;
    body += status < 500 ? R"(","type":"invalid_request_error","param":null,"code":null}})"
                         : R"(","type":"server_error","param":null,"code":null}})";
    return response;
  }
  body += shape == ErrorShape::kReason ? R"({"reason":")" : R"({"detail":")";
  body += detail;
  if (shape == ErrorShape::kDetailWithCode) {
    body += R"(","code":")";
    body += lookUp(kCodes, status, "invalid");
  }
  body += R"("})";
  return response;
}

Coding negotiateCoding(Response& response, std::string_view accept_encoding) {
  const bool worth = response.stream != nullptr || response.body.size() >= kMinCompressedBody;
  // Compression would invalidate the length and range of a 206 response.
  if (!worth || forbidsBody(response.status) || response.status == 206) return Coding::kIdentity;
  if (response.headers.find("Content-Encoding") != nullptr) return Coding::kIdentity;
  if (!isText(response.headers.get("Content-Type"))) return Coding::kIdentity;
  if (containsIgnoringCase(response.headers.get("Cache-Control"), "no-transform")) {
    return Coding::kIdentity;
  }
  response.headers.add("Vary", "Accept-Encoding");
  return accept_encoding.empty() ? Coding::kIdentity : chooseCoding(accept_encoding);
}

std::string_view DateText::at(std::time_t now) {
  if (now != second_) {
    constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm utc{};
    gmtime_r(&now, &utc);
    text_ = fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                        kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                        kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900,
                        utc.tm_hour, utc.tm_min, utc.tm_sec);
    second_ = now;
  }
  return text_;
}

void appendHead(std::string& out, const ResponseHeadFields& fields, const Headers& headers) {
  out += "HTTP/1.1 ";
  appendNumber(out, static_cast<std::uint64_t>(fields.status));
  out += ' ';
  out += reasonOf(fields.status);
  out += "\r\nDate: ";
  out += fields.date;
  out += "\r\nX-Request-Id: ";
  out += fields.request_id;
  out += "\r\n";
  for (const Headers::Field& field : headers) {
    if (isServerField(field.first)) continue;
    appendClean(out, field.first);
    out += ": ";
    appendClean(out, field.second);
    out += "\r\n";
  }
  if (fields.coding != Coding::kIdentity) {
    out += "Content-Encoding: ";
    out += nameOf(fields.coding);
    out += "\r\n";
  }
  if (fields.framing == BodyFraming::kLength) {
    out += "Content-Length: ";
    appendNumber(out, fields.content_length);
    out += "\r\n";
  } else if (fields.framing == BodyFraming::kChunked) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  if (fields.close) {
    out += "Connection: close\r\n";
  } else if (fields.send_keep_alive) {
    out += "Connection: keep-alive\r\n";
  }
}

}  // namespace spindle::http
