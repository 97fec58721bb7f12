#include "http/message/compression.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "base/core/results_for_test.h"

namespace spindle::http {
namespace {

constexpr std::size_t kNoLimit = 64UL * 1024 * 1024;

std::string sampleText(std::size_t size) {
  std::string text;
  unsigned state = 7;
  while (text.size() < size) {
    state = state * 1103515245 + 12345;
    text += "line " + std::to_string(state >> 16) + "\n";
  }
  text.resize(size);
  return text;
}

std::string encodeWhole(Coding coding, std::string_view plain) {
  const auto encoder = Encoder::make(coding);
  std::string out = encoder->feed(plain, false);
  out += encoder->finish();
  return out;
}

Result<std::string> decodeInPieces(Coding coding,
                                   std::string_view data,
                                   std::size_t piece,
                                   std::size_t limit = kNoLimit) {
  const auto decoder = Decoder::make(coding);
  std::string out;
  for (std::size_t at = 0; at < data.size(); at += piece) {
    TRY(decoder->feed(data.substr(at, piece), out, limit));
  }
  TRY(decoder->finish());
  return out;
}

std::string rawDeflate(std::string_view plain) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): zlib only reads its input
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class EveryCoding : public testing::TestWithParam<Coding> {};
class EveryCompression : public testing::TestWithParam<Coding> {};

INSTANTIATE_TEST_SUITE_P(
    Compression,
    EveryCoding,
    testing::Values(Coding::kIdentity, Coding::kGzip, Coding::kDeflate, Coding::kZstd),
    [](const auto& test) { return std::string(nameOf(test.param)); });
INSTANTIATE_TEST_SUITE_P(Compression,
                         EveryCompression,
                         testing::Values(Coding::kGzip, Coding::kDeflate, Coding::kZstd),
                         [](const auto& test) { return std::string(nameOf(test.param)); });

TEST_P(EveryCoding, RoundTripsInReadsOfAnySize) {
  for (const std::size_t size : {0UL, 1UL, 5000UL, 300000UL}) {
    const std::string plain = sampleText(size);
    const std::string data = encodeWhole(GetParam(), plain);
    for (const std::size_t piece : {1UL, 2UL, 777UL, 1000000UL}) {
      const Result<std::string> decoded = decodeInPieces(GetParam(), data, piece);
      ASSERT_TRUE(decoded) << decoded.error().message();
      EXPECT_EQ(*decoded, plain);
    }
  }
}

TEST_P(EveryCoding, EnforcesTheExactLimit) {
  for (const std::size_t size : {1000UL, 32 * 1024UL, 200000UL}) {
    const std::string data = encodeWhole(GetParam(), sampleText(size));
    EXPECT_TRUE(decodeInPieces(GetParam(), data, 4096, size));

    const auto decoder = Decoder::make(GetParam());
    std::string out;
    const Result<void> refused = decoder->feed(data, out, size - 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
    EXPECT_EQ(out, sampleText(size).substr(0, size - 1));
  }
}

TEST_P(EveryCoding, LimitIncludesExistingOutput) {
  const std::string data = encodeWhole(GetParam(), "12345");
  std::string out = "abc";
  EXPECT_TRUE(Decoder::make(GetParam())->feed(data, out, 8));
  EXPECT_EQ(out, "abc12345");
  const Result<void> refused = Decoder::make(GetParam())->feed(data, out, 8);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
}

TEST_P(EveryCompression, DetectsEveryTruncation) {
  const std::string data = encodeWhole(GetParam(), sampleText(300));
  for (std::size_t size = 0; size < data.size(); ++size) {
    const Result<std::string> decoded = decodeInPieces(GetParam(), data.substr(0, size), 50);
    ASSERT_FALSE(decoded) << size;
    EXPECT_EQ(decoded.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST_P(EveryCompression, DetectsInvalidData) {
  const std::string data = encodeWhole(GetParam(), sampleText(300));
  for (const std::string& bad : {std::string("this is plain text"), data + "trailing garbage",
                                 data.substr(0, 20) + std::string(64, '\xff')}) {
    const Result<std::string> decoded = decodeInPieces(GetParam(), bad, 1000);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST_P(EveryCompression, StopsADecompressionBombAtTheLimit) {
  const std::string bomb = encodeWhole(GetParam(), std::string(kNoLimit, '\0'));
  EXPECT_LT(bomb.size(), 200000U);
  const auto decoder = Decoder::make(GetParam());
  std::string out;
  const Result<void> refused = decoder->feed(bomb, out, 1000000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
  EXPECT_EQ(out.size(), 1000000U);
  EXPECT_LT(out.capacity(), 4000000U);
}

TEST_P(EveryCompression, FlushedOutputCanBeDecodedImmediately) {
  const auto encoder = Encoder::make(GetParam());
  const auto decoder = Decoder::make(GetParam());
  for (const std::string_view piece : {"data: one\n\n", "data: two\n\n", "data: three\n\n"}) {
    std::string out;
    ASSERT_TRUE(decoder->feed(encoder->feed(piece, true), out, kNoLimit));
    EXPECT_EQ(out, piece);
  }
  std::string rest;
  ASSERT_TRUE(decoder->feed(encoder->finish(), rest, kNoLimit));
  EXPECT_EQ(rest, "");
  EXPECT_TRUE(decoder->finish());
}

TEST(Compression, ReadsSeveralGzipMembersAndZstdFrames) {
  for (const Coding coding : {Coding::kGzip, Coding::kZstd}) {
    const std::string data =
        encodeWhole(coding, "one ") + encodeWhole(coding, "") + encodeWhole(coding, "two");
    for (const std::size_t piece : {1UL, 1000UL}) {
      const Result<std::string> decoded = decodeInPieces(coding, data, piece);
      ASSERT_TRUE(decoded);
      EXPECT_EQ(*decoded, "one two");
    }
    EXPECT_FALSE(decodeInPieces(coding, data.substr(0, data.size() - 1), 1000));
  }
}

TEST(Compression, DecodesRawDeflate) {
  for (const std::size_t size : {0UL, 1UL, 5000UL, 100000UL}) {
    const std::string plain = sampleText(size);
    for (const std::size_t piece : {1UL, 3UL, 1000000UL}) {
      const Result<std::string> decoded =
          decodeInPieces(Coding::kDeflate, rawDeflate(plain), piece);
      ASSERT_TRUE(decoded);
      EXPECT_EQ(*decoded, plain);
    }
  }
}

TEST(Compression, RejectsALargeZstdWindow) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
  const std::string plain(100, 'x');
  std::string data(1000, '\0');
  ZSTD_inBuffer in{plain.data(), plain.size(), 0};
  ZSTD_outBuffer out{data.data(), data.size(), 0};
  // A flush before the end keeps the encoder from shrinking the window to the size of the data.
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  data.resize(out.pos);
  const Result<std::string> decoded = decodeInPieces(Coding::kZstd, data, 1000);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code(), ErrorCode::kInvalidArgument);
}

TEST(Compression, KnowsTheNamesOfContentCodings) {
  expectResults<std::string_view, std::optional<Coding>>(codingOf, {{"", Coding::kIdentity},
                                                                    {"identity", Coding::kIdentity},
                                                                    {" GZip ", Coding::kGzip},
                                                                    {"x-gzip", Coding::kGzip},
                                                                    {"deflate", Coding::kDeflate},
                                                                    {"zstd", Coding::kZstd},
                                                                    {"br", std::nullopt},
                                                                    {"gzip, gzip", std::nullopt},
                                                                    {"gzipp", std::nullopt}});
}

TEST(Compression, SelectsTheCodingByAcceptEncoding) {
  const std::vector<std::pair<std::string_view, Coding>> cases = {
      {"", Coding::kIdentity},
      {"gzip", Coding::kGzip},
      {"x-gzip", Coding::kGzip},
      {"zstd", Coding::kZstd},
      {"gzip, deflate, br, zstd", Coding::kZstd},
      {"gzip, deflate, br", Coding::kGzip},
      {"deflate, br", Coding::kIdentity},
      {"gzip;q=1.0, zstd;q=0.5", Coding::kGzip},
      {"zstd;q=0, gzip", Coding::kGzip},
      {"gzip;q=0", Coding::kIdentity},
      {"gzip;q=0.000, *;q=0", Coding::kIdentity},
      {"*", Coding::kZstd},
      {"*;q=0.1, zstd;q=0", Coding::kGzip},
      {"*;q=0, gzip;q=0.001", Coding::kGzip},
      {"identity;q=1, gzip;q=0.5", Coding::kIdentity},
      {"identity;q=0.5, gzip;q=0.5", Coding::kGzip},
      {"identity;q=0", Coding::kIdentity},
      {"GZIP ; Q=0.8 , ZSTD ; Q=0.7", Coding::kGzip},
      {"gzip;q=abc", Coding::kIdentity},
      {"gzip;q=1.5", Coding::kIdentity},
      {"gzip;level=9", Coding::kIdentity},
      {",, gzip ,,", Coding::kGzip},
  };
  for (const auto& [accept, coding] : cases) EXPECT_EQ(chooseCoding(accept), coding) << accept;
}

}  // namespace
}  // namespace spindle::http
