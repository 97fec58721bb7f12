#include "http/router/content.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "http/message/sized_body.h"
#include "http/router/log.h"

namespace spindle::http {
namespace {

constexpr std::size_t kChunkBytes = 512UL * 1024;
constexpr std::string_view kUnit = "bytes=";

/// Parses digits only. Returns the maximum for a number that is too large.
std::optional<std::uint64_t> numberIn(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return UINT64_MAX;
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

ByteRange suffixOf(std::uint64_t wanted, std::uint64_t size) {
  if (wanted == 0 || size == 0) return {ByteRange::Kind::kNone, 0, 0};
  const std::uint64_t length = std::min(wanted, size);
  return {ByteRange::Kind::kPart, size - length, length};
}

}  // namespace

ByteRange rangeOf(const Headers& headers, std::uint64_t size, const std::string& etag) {
  const ByteRange whole{ByteRange::Kind::kWhole, 0, size};
  std::string_view range = headers.get("Range");
  if (!range.starts_with(kUnit)) return whole;
  const std::string* if_range = headers.find("If-Range");
  if (if_range != nullptr && *if_range != etag) return whole;
  range.remove_prefix(kUnit.size());
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return whole;
  const std::string_view first_text = range.substr(0, dash);
  const std::string_view last_text = range.substr(dash + 1);
  const std::optional<std::uint64_t> first = numberIn(first_text);
  const std::optional<std::uint64_t> last = numberIn(last_text);
  if (first_text.empty() && last) return suffixOf(*last, size);
  if (!first || (!last && !last_text.empty()) || (last && *last < *first)) return whole;
  if (*first >= size) return {ByteRange::Kind::kNone, 0, 0};
  const std::uint64_t end = std::min(last.value_or(size - 1), size - 1);
  return {ByteRange::Kind::kPart, *first, end - *first + 1};
}

Response contentResponse(const Request& request, Content content) {
  const ByteRange range = rangeOf(request.headers, content.size, content.etag);
  const std::string size = std::to_string(content.size);
  Response response;
  response.headers.add("Content-Type", "application/octet-stream");
  response.headers.add("Content-Disposition", "attachment");
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Accept-Ranges", "bytes");
  response.headers.add("ETag", content.etag);
  if (range.kind == ByteRange::Kind::kNone) {
    response.status = 416;
    response.headers.add("Content-Range", "bytes */" + size);
    return response;
  }
  if (range.kind == ByteRange::Kind::kPart) {
    response.status = 206;
    response.headers.add("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                              std::to_string(range.first + range.length - 1) + "/" +
                                              size);
  }
  struct Progress {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
  };
  auto at = std::make_shared<Progress>();
  at->offset = range.first;
  at->end = range.first + range.length;
  response.stream = std::make_shared<SizedBody>(
      range.length, [at, read = std::move(content.read)](std::string& chunk) {
        if (at->offset == at->end) return BodyStream::State::kEnd;
        const auto most =
            static_cast<std::size_t>(std::min<std::uint64_t>(kChunkBytes, at->end - at->offset));
        Result<std::string> bytes = read(at->offset, most);
        if (!bytes || bytes->empty()) {
          kLog.error("answer_cut", {{"reason", bytes ? "short content" : bytes.error().message()}});
          return BodyStream::State::kBroken;
        }
        chunk = *std::move(bytes);
        at->offset += chunk.size();
        return BodyStream::State::kChunk;
      });
  return response;
}

}  // namespace spindle::http
