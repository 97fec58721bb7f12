#include "http/router/content.h"

#include <gtest/gtest.h>

#include "http/message/sized_body.h"

namespace spindle::http {
namespace {

constexpr std::string_view kBytes = "0123456789";

struct Taken {
  int status = 0;
  std::string range;
  std::string body;
};

Taken ask(const std::string& range, const std::string& if_range = "") {
  Request request;
  if (!range.empty()) request.headers.add("Range", range);
  if (!if_range.empty()) request.headers.add("If-Range", if_range);
  Content content;
  content.size = kBytes.size();
  content.etag = "\"tag\"";
  content.read = [](std::uint64_t offset, std::size_t most) -> Result<std::string> {
    // Returns less than requested, which a reader may do.
    return std::string(kBytes.substr(offset, std::min<std::size_t>(most, 3)));
  };
  const Response response = contentResponse(request, std::move(content));
  Taken taken{response.status, std::string(response.headers.get("Content-Range")), ""};
  if (!response.stream) return taken;
  std::string piece;
  while (response.stream->next(piece) == BodyStream::State::kChunk) taken.body += piece;
  const auto* const sized = dynamic_cast<SizedBody*>(response.stream.get());
  EXPECT_TRUE(sized != nullptr && sized->length() == taken.body.size());
  return taken;
}

TEST(Content, IsWholeWithoutARange) {
  const Taken whole = ask("");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.range, "");
  EXPECT_EQ(whole.body, kBytes);
}

TEST(Content, ReturnsTheRequestedRange) {
  struct Row {
    std::string asked;
    std::string range;
    std::string body;
  };
  const std::vector<Row> rows = {
      {"bytes=0-0", "bytes 0-0/10", "0"},
      {"bytes=2-5", "bytes 2-5/10", "2345"},
      {"bytes=7-", "bytes 7-9/10", "789"},
      {"bytes=7-99", "bytes 7-9/10", "789"},
      {"bytes=7-99999999999999999999999", "bytes 7-9/10", "789"},
      {"bytes=-4", "bytes 6-9/10", "6789"},
      {"bytes=-40", "bytes 0-9/10", "0123456789"},
      {"bytes=0-9", "bytes 0-9/10", "0123456789"},
  };
  for (const Row& row : rows) {
    const Taken part = ask(row.asked);
    EXPECT_EQ(part.status, 206) << row.asked;
    EXPECT_EQ(part.range, row.range) << row.asked;
    EXPECT_EQ(part.body, row.body) << row.asked;
  }
}

TEST(Content, RejectsARangeAfterItsEnd) {
  for (const char* range : {"bytes=10-", "bytes=10-20", "bytes=-0"}) {
    const Taken none = ask(range);
    EXPECT_EQ(none.status, 416) << range;
    EXPECT_EQ(none.range, "bytes */10") << range;
  }
}

TEST(Content, IgnoresAnInvalidRange) {
  for (const char* range : {"bytes=", "bytes=a-b", "bytes=5-2", "bytes=1-2,4-5", "lines=1-2",
                            "bytes=--1", "bytes=1", "bytes=-"}) {
    EXPECT_EQ(ask(range).status, 200) << range;
  }
}

TEST(Content, IfRangeRequiresTheCurrentEtag) {
  EXPECT_EQ(ask("bytes=1-2", "\"tag\"").status, 206);
  EXPECT_EQ(ask("bytes=1-2", "\"other\"").status, 200);
}

TEST(Content, EmptyContentHasNoRange) {
  Request request;
  request.headers.add("Range", "bytes=0-");
  Content content;
  content.etag = "\"tag\"";
  EXPECT_EQ(contentResponse(request, std::move(content)).status, 416);
}

}  // namespace
}  // namespace spindle::http
