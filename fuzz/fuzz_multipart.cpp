// The first line is the Content-Type, the rest the body. All parsed parts must lie inside the body,
// in order, and within the limits.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/message/multipart.h"
#include "http/message/uri.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t line = all.find('\n');
  const std::string_view type = all.substr(0, line);
  const std::string_view body = line == std::string_view::npos ? "" : all.substr(line + 1);
  const spindle::http::MultipartLimits limits{.parts = 8, .header_bytes = 256};
  for (const std::string_view content_type :
       {type, std::string_view("multipart/form-data;boundary=x")}) {
    const auto parts = spindle::http::parseMultipart(content_type, body, limits);
    if (!parts) {
      require(!parts.error().message().empty());
      continue;
    }
    require(parts->size() <= limits.parts);
    const char* at = body.data();
    for (const auto& part : *parts) {
      require(part.data.data() >= at);
      at = part.data.data() + part.data.size();
      require(at <= body.data() + body.size());
      require(spindle::http::isUtf8(part.name) && spindle::http::isUtf8(part.filename));
    }
  }
  return 0;
}
