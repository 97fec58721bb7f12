#include "tracing/ingest/media.h"

#include <string>

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"

namespace spindle::tracing {
namespace {

using namespace std::string_literals;

/// Bytes that start like a PNG and are long enough to be extracted.
std::string png() {
  std::string bytes = "\x89PNG\r\n\x1a\n";
  return bytes.append(9000, '\x01');
}

TEST(Media, AreFoundInLongDataUris) {
  const std::optional<Media> media =
      findMedia("data:image/webp;base64," + encodeBase64(std::string(9000, 'x')));
  ASSERT_TRUE(media);
  EXPECT_EQ(media->type, "image/webp") << "what the URI says, not what the bytes look like";
  EXPECT_EQ(media->bytes, std::string(9000, 'x'));
  EXPECT_EQ(findMedia("data:;base64," + encodeBase64(png()))->type, "application/octet-stream");
  EXPECT_EQ(findMedia("data:text/plain;charset=utf-8;base64," + encodeBase64(png()))->type,
            "text/plain");
}

TEST(Media, AreFoundInBareBase64) {
  const std::optional<Media> media = findMedia(encodeBase64(png()));
  ASSERT_TRUE(media);
  EXPECT_EQ(media->type, "image/png");
  EXPECT_EQ(media->bytes, png());
  EXPECT_FALSE(findMedia(encodeBase64(std::string(9000, 'a')))) << "plain text";
}

TEST(Media, AreIgnoredInShortStrings) {
  std::string uri = "data:image/png;base64,";
  uri += std::string(kMediaThreshold - uri.size(), 'A');
  EXPECT_FALSE(findMedia(uri));
  EXPECT_TRUE(findMedia(uri + "AAAA"));
  EXPECT_FALSE(findMedia(""));
}

TEST(Media, AreNotFoundInProse) {
  EXPECT_FALSE(findMedia(std::string(10'000, ' ')));
  EXPECT_FALSE(findMedia("data:" + std::string(10'000, 'x')));
  EXPECT_FALSE(findMedia("data:image/png," + std::string(10'000, 'x'))) << "not Base64";
  EXPECT_FALSE(findMedia("data:image/png;base64," + std::string(10'000, '!')));
  EXPECT_FALSE(findMedia(encodeBase64(png()) + "!!!!"));
}

TEST(Media, AreRecognisedByTheirFirstBytes) {
  EXPECT_EQ(sniffMediaType("\xff\xd8\xff\xe0"s), "image/jpeg");
  EXPECT_EQ(sniffMediaType("GIF89a"), "image/gif");
  EXPECT_EQ(sniffMediaType("RIFF....WEBPVP8 "), "image/webp");
  EXPECT_EQ(sniffMediaType("RIFF....WAVEfmt "), "audio/wav");
  EXPECT_EQ(sniffMediaType("%PDF-1.7"), "application/pdf");
  EXPECT_EQ(sniffMediaType("OggS\0"s), "audio/ogg");
  EXPECT_EQ(sniffMediaType("\0\0\0\x20"
                           "ftypisom"s),
            "video/mp4");
  EXPECT_EQ(sniffMediaType("hello"), "");
  EXPECT_EQ(sniffMediaType(""), "");
}

}  // namespace
}  // namespace spindle::tracing
