#include "transfer/manifest.h"

#include <gtest/gtest.h>

namespace spindle::transfer {
namespace {

Manifest sample() {
  Manifest manifest;
  manifest.range = {"team/app", parseTimestamp("2026-01-01").value,
                    parseTimestamp("2026-02-01T00:00:00.000001Z").value, Format::kParquet};
  manifest.parts = {{"calls-000001.parquet", 2, 300, "ab"}, {"calls-000002.parquet", 1, 20, "cd"}};
  manifest.cursor = Cursor{*parseTimestamp("2026-01-03T10:00:00.5Z").value, "call-3"};
  return manifest;
}

TEST(Manifest, RoundTrips) {
  for (const bool finished : {false, true}) {
    Manifest written = sample();
    written.finished = finished;
    const Result<Manifest> read = readManifest(writeManifest(written));
    ASSERT_TRUE(read.has_value()) << read.error().message();
    EXPECT_EQ(read->range, written.range);
    EXPECT_EQ(read->parts, written.parts);
    EXPECT_EQ(read->cursor, written.cursor);
    EXPECT_EQ(read->finished, finished);
  }
}

TEST(Manifest, StartsEmptyAndUnfinished) {
  Manifest fresh;
  fresh.range.project = "team/app";
  const Result<Manifest> read = readManifest(writeManifest(fresh));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->range, fresh.range);
  EXPECT_FALSE(read->cursor.has_value());
  EXPECT_EQ(read->calls(), 0);
  EXPECT_EQ(read->nextPart(), "calls-000001.jsonl");
}

TEST(Manifest, CountsCallsAndNamesTheNextPart) {
  EXPECT_EQ(sample().calls(), 3);
  EXPECT_EQ(sample().nextPart(), "calls-000003.parquet");
}

TEST(Manifest, RejectsOtherText) {
  for (const char* text : {"", "[]", "{}",
                           R"({"version":1,"project":"a/b","format":"csv",)"
                           R"("parts":[],"finished":false})"}) {
    const Result<Manifest> read = readManifest(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_NE(read.error().message().find("is not a manifest"), std::string::npos);
  }
  const Result<Manifest> later =
      readManifest(R"({"version":2,"project":"a/b","format":"jsonl","parts":[],"finished":true})");
  ASSERT_FALSE(later.has_value());
  EXPECT_EQ(later.error().message(), "was written by a later version (2)");
}

}  // namespace
}  // namespace spindle::transfer
