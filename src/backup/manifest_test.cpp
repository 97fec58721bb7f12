#include "backup/manifest.h"

#include <gtest/gtest.h>

namespace spindle::backup {
namespace {

Manifest sample() {
  Manifest manifest;
  manifest.point = "000007-20261231T120000Z";
  manifest.version = "1.2.3";
  manifest.created_at = timestampOfMicros(1'798'718'400'000'000);
  manifest.online = true;
  manifest.files.push_back(
      {"metadata.sqlite", 300'000, 0, kChunkBytes, {sha256("a"), sha256("b")}});
  manifest.files.push_back(
      {"traces/traces.duckdb", 12'288 + 5, 12'288, kChunkBytes, {sha256("c"), sha256("d")}});
  manifest.files.push_back({"secret-key", 0, 0, kChunkBytes, {}});
  manifest.blob_index = {"blobs.index", 67, 0, kChunkBytes, {sha256("e")}};
  manifest.blobs = 1;
  manifest.blob_bytes = 7;
  manifest.lost_blobs = {sha256("lost")};
  return manifest;
}

TEST(Manifest, ParsesWhatWasWritten) {
  const Result<Manifest> read = parseManifest(manifestText(sample()));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(manifestText(*read), manifestText(sample()));
  EXPECT_EQ(read->bytes(), 300'000U + 12'293 + 7);
  ASSERT_NE(read->find("metadata.sqlite"), nullptr);
  EXPECT_EQ(read->find("nothing"), nullptr);
}

/// Returns the JSON of a manifest without its digest.
std::string jsonOf(const Manifest& manifest) {
  const std::string text = manifestText(manifest);
  return text.substr(0, text.rfind("\nsha256:"));
}

TEST(Manifest, HasAStableText) {
  const auto digest = [](const char* of) { return '"' + toHex(sha256(of)) + '"'; };
  EXPECT_EQ(
      jsonOf(sample()),
      R"({"product":"spindle","format":1,"version":"1.2.3","point":"000007-20261231T120000Z",)"
      R"("created_at":")" +
          formatTimestamp(sample().created_at) +
          R"(","online":true,"metadata":true,"secrets":true,"traces_included":true,"blobs_included":true,"all_blobs":false,"files":[)"
          R"({"path":"metadata.sqlite","size":300000,"first":0,"chunk":262144,"chunks":[)" +
          digest("a") + "," + digest("b") +
          R"(]},{"path":"traces/traces.duckdb","size":12293,"first":12288,"chunk":262144,)"
          R"("chunks":[)" +
          digest("c") + "," + digest("d") +
          R"(]},{"path":"secret-key","size":0,"first":0,"chunk":262144,"chunks":[]}],)"
          R"("blob_index":{"path":"blobs.index","size":67,"first":0,"chunk":262144,"chunks":[)" +
          digest("e") + R"(]},"blobs":1,"blob_bytes":7,"lost_blobs":[)" + digest("lost") + "]}");
}

TEST(Manifest, NamesTheDamagedPart) {
  const std::string time = formatTimestamp(sample().created_at);
  const std::string lost = toHex(sha256("lost"));
  const std::string chunk = toHex(sha256("a"));
  const struct {
    std::string part;
    std::string replacement;
    std::string message;
  } cases[] = {
      {R"("format":1)", R"("format":2)", "was written by a newer version of Spindle: use that one"},
      {R"("format":1)", R"("format":-1)", "its member format is missing or invalid"},
      {R"("blobs":1,)", "", "its member blobs is missing or invalid"},
      {R"("blob_bytes":7)", R"("blob_bytes":"7")", "its member blob_bytes is missing or invalid"},
      {R"("online":true)", R"("online":1)", "its member online is missing or invalid"},
      {R"("size":300000)", R"("size":-1)", "its member size is missing or invalid"},
      {chunk, "zz", "its member chunks is missing or invalid"},
      {lost, "zz", "its member lost_blobs is missing or invalid"},
      {time, "soon", "its creation time is invalid"},
      {R"("files":[)", R"("files":[7,)", "a file is not a JSON object"},
      {R"("files":)", R"("files":0,"others":)", "its files are missing"},
      {R"("blob_index":)", R"("others":)", "its files are missing"},
  };
  for (const auto& each : cases) {
    std::string json = jsonOf(sample());
    json.replace(json.find(each.part), each.part.size(), each.replacement);
    const Result<Manifest> read = parseManifest(json + "\nsha256:" + toHex(sha256(json)) + "\n");
    ASSERT_FALSE(read) << each.replacement;
    EXPECT_TRUE(read.error().message().ends_with(each.message)) << read.error().message();
  }
}

TEST(Manifest, EveryFlippedByteIsFound) {
  const std::string text = manifestText(sample());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x01);
    EXPECT_FALSE(parseManifest(flipped)) << i;
  }
}

TEST(Manifest, DetectsEveryTruncation) {
  const std::string text = manifestText(sample());
  for (std::size_t i = 0; i < text.size(); ++i) EXPECT_FALSE(parseManifest(text.substr(0, i))) << i;
}

TEST(Manifest, PathsOutsideTheDataFolderAreRefused) {
  for (const char* path : {"../x", "/etc/passwd", "a/../../x", "", "a//b", ".", "a/", "a/./b"}) {
    Manifest manifest = sample();
    manifest.files.front().path = path;
    EXPECT_FALSE(parseManifest(manifestText(manifest))) << path;
  }
}

TEST(Manifest, ChunksMustAddUp) {
  Manifest manifest = sample();
  manifest.files.front().chunks.pop_back();
  EXPECT_FALSE(parseManifest(manifestText(manifest)));
  manifest = sample();
  manifest.files.front().first = kChunkBytes + 1;
  EXPECT_FALSE(parseManifest(manifestText(manifest)));
  for (const std::uint64_t chunk : {std::uint64_t{0}, std::uint64_t{1}, kChunkBytes + 1}) {
    manifest = sample();
    manifest.files.front().chunk = chunk;
    EXPECT_FALSE(parseManifest(manifestText(manifest))) << chunk;
  }
}

TEST(Manifest, ChunkSizesCoverTheFile) {
  for (const std::uint64_t first : {0U, 12'288U}) {
    for (const std::uint64_t size :
         {0U, 1U, 12'287U, 12'288U, 12'289U, 262'144U, 274'432U, 800'000U}) {
      ChunkedFile file{"x", size, first, kPageChunkBytes, {}};
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < file.chunkCount(); ++i) {
        EXPECT_GT(file.chunkSize(i), 0U);
        sum += file.chunkSize(i);
      }
      EXPECT_EQ(sum, size) << first;
    }
  }
}

TEST(BlobIndex, ParsesWhatWasWritten) {
  const std::vector<BackedUpBlob> blobs = {{sha256("a"), 1}, {sha256("b"), 0}};
  const Result<std::vector<BackedUpBlob>> read = parseBlobIndex(blobIndexText(blobs));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(read->back().digest, sha256("b"));
  EXPECT_FALSE(parseBlobIndex("abc 1\n"));
  EXPECT_FALSE(parseBlobIndex(blobIndexText(blobs) + toHex(sha256("c")) + " 12"));
  EXPECT_FALSE(parseBlobIndex(toHex(sha256("c")) + " -1\n"));
}

}  // namespace
}  // namespace spindle::backup
