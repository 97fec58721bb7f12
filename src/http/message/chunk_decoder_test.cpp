#include "http/message/chunk_decoder.h"

#include <gtest/gtest.h>

#include "http/message/total_progress_for_test.h"

namespace spindle::http {
namespace {

using DecoderState = ChunkDecoder::State;

struct Decoded : TotalProgress<ChunkDecoder> {
  std::string body;
};

Decoded decode(std::string_view in, std::size_t limit = 1000, std::size_t step = 1000) {
  ChunkDecoder decoder;
  Decoded decoded;
  while (decoded.state == DecoderState::kMore && decoded.used < in.size()) {
    decoded.add(decoder.feed(in.substr(decoded.used, step), decoded.body, limit));
  }
  return decoded;
}

TEST(ChunkDecoder, DecodesChunksAndStopsBeforeTheNextRequest) {
  const std::string_view in = "4\r\nWiki\r\nA;x=\"y\"\r\npedia in c\r\n0\r\nT: v\r\n\r\nGET /";
  for (const std::size_t step : {1U, 2U, 3U, 7U, 1000U}) {
    const Decoded decoded = decode(in, 1000, step);
    EXPECT_EQ(decoded.state, DecoderState::kDone);
    EXPECT_EQ(decoded.body, "Wikipedia in c");
    EXPECT_EQ(in.substr(decoded.used), "GET /");
  }
}

TEST(ChunkDecoder, RejectsInvalidCoding) {
  for (const std::string_view in :
       {"\r\n", "g\r\n", "-1\r\n", "0x4\r\nWiki\r\n", "4\nWiki\n", "4\r\nWikiX\r\n", "4\r\nWiki\n",
        "4\rX", "11111111111111111\r\n", " 4\r\nWiki\r\n", "4;a\nb\r\n", "0\r\n\n", "0\r\na\n",
        "0\r\n\rX"}) {
    EXPECT_EQ(decode(in).state, DecoderState::kBad) << in;
  }
}

TEST(ChunkDecoder, RefusesAChunkOverTheLimitBeforeTakingItsBytes) {
  EXPECT_EQ(decode("5\r\nabcde\r\n0\r\n\r\n", 5).state, DecoderState::kDone);
  const Decoded decoded = decode("3\r\nabc\r\n3\r\nabc\r\n", 5);
  EXPECT_EQ(decoded.state, DecoderState::kTooLarge);
  EXPECT_EQ(decoded.body, "abc");
  EXPECT_EQ(decode("ffffffffffffffff\r\na").state, DecoderState::kTooLarge);
}

TEST(ChunkDecoder, LimitsExtensionsAndTrailers) {
  EXPECT_EQ(decode("1;" + std::string(20000, 'x')).state, DecoderState::kBad);
  EXPECT_EQ(decode("0\r\nT: " + std::string(20000, 'x')).state, DecoderState::kBad);
}

}  // namespace
}  // namespace spindle::http
