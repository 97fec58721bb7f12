#include "transfer/exporter.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/crypto/file_digest.h"
#include "base/process/durable_file.h"
#include "columnar/duckdb/parquet.h"
#include "json/document.h"
#include "transfer/call_columns.h"
#include "transfer/call_page.h"
#include "transfer/transfer_for_test.h"

namespace spindle::transfer {
namespace {

/// Fixture with a project of numbered calls, some of which start at the same time.
class ExporterTest : public TransferTest {
 protected:
  ExporterTest()
      : TransferTest("export"),
        exporter_(
            server_, [](std::chrono::seconds) {}, progress_) {
    options_.range.project = "team/app";
    options_.folder = folder_.at("out");
    options_.calls_per_part = 3;
    server_.response = [this](const RecordedRequest& asked) { return response(asked); };
  }

  static std::string idOf(int number) { return "call-" + std::to_string(100 + number); }
  static std::string lineOf(int number) {
    const std::string second = std::to_string(10 + number / 2);
    return R"({"id":")" + idOf(number) + R"(","started_at":"2026-01-01T00:00:)" + second +
           R"(Z","inputs":{"n":)" + std::to_string(number) + "}}\n";
  }
  static std::string linesOf(int first, int last) { return joined(first, last, lineOf); }

  Result<ApiResponse> response(const RecordedRequest& asked) {
    ApiResponse response;
    response.status = 200;
    if (asked.path == kCountPath) {
      response.body = R"({"count":)" + std::to_string(calls_) + "}";
      return response;
    }
    if (pages_left_ == 0) return Error(ErrorCode::kUpstream, "cut off");
    --pages_left_;
    const std::string mark = R"({"$getField":"id"},{"$literal":")";
    const std::size_t at = asked.body.find(mark);
    int first = 0;
    if (at != std::string::npos) {
      const std::string id = asked.body.substr(at + mark.size(), idOf(0).size());
      while (idOf(first) <= id) ++first;
    }
    response.body = linesOf(first, std::min(calls_, first + 3));
    return response;
  }

  Exporter exporter_;
  ExportOptions options_;
  int calls_ = 8;
  int pages_left_ = 100;
};

TEST_F(ExporterTest, WritesEveryCallOnceInParts) {
  const Result<ExportOutcome> outcome = exporter_.run(options_);
  ASSERT_TRUE(outcome.has_value()) << messageOf(outcome);
  EXPECT_EQ(outcome->calls, 8);
  EXPECT_EQ(outcome->fresh, 8);
  EXPECT_EQ(outcome->parts, 3U);
  EXPECT_EQ(folder_.get("out/calls-000001.jsonl"), linesOf(0, 3));
  EXPECT_EQ(folder_.get("out/calls-000002.jsonl"), linesOf(3, 6));
  EXPECT_EQ(folder_.get("out/calls-000003.jsonl"), linesOf(6, 8));
  const Result<Manifest> manifest = readManifest(folder_.get("out/manifest.json"));
  ASSERT_TRUE(manifest.has_value());
  EXPECT_TRUE(manifest->finished);
  for (const Part& part : manifest->parts) {
    const Result<FileDigest> digest = digestOf(folder_.at("out/" + part.file));
    ASSERT_TRUE(digest.has_value());
    EXPECT_EQ(part.sha256, digest->sha256);
    EXPECT_EQ(part.bytes, digest->bytes);
  }
  EXPECT_EQ(progress_.whole, 8);
  EXPECT_EQ(progress_.reached, 8);
}

TEST_F(ExporterTest, RequestsOneMorePageAfterAFullLastPart) {
  calls_ = 6;
  const Result<ExportOutcome> outcome = exporter_.run(options_);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->parts, 2U);
  EXPECT_FALSE(folder_.has("out/calls-000003.jsonl"));
}

TEST_F(ExporterTest, FinishesAnEmptyProjectWithoutParts) {
  calls_ = 0;
  const Result<ExportOutcome> outcome = exporter_.run(options_);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->calls, 0);
  EXPECT_EQ(outcome->parts, 0U);
  EXPECT_TRUE(readManifest(folder_.get("out/manifest.json"))->finished);
}

TEST_F(ExporterTest, ContinuesAnInterruptedExport) {
  pages_left_ = 1;
  EXPECT_EQ(messageOf(exporter_.run(options_)), "cut off");
  EXPECT_TRUE(folder_.has("out/calls-000001.jsonl"));
  // Files that a killed run leaves behind.
  folder_.put("out/calls-000002.jsonl.jsonl.partial", "half a li");
  folder_.put("out/manifest.json.abcdefgh.new", "{");
  folder_.put("out/calls-000002.jsonl", "whole, but not in the manifest yet");
  calls_ = 9;  // one came in meanwhile
  pages_left_ = 100;
  server_.asked.clear();
  const Result<ExportOutcome> outcome = exporter_.run(options_);
  ASSERT_TRUE(outcome.has_value()) << messageOf(outcome);
  EXPECT_EQ(outcome->calls, 9);
  EXPECT_EQ(outcome->fresh, 6);
  EXPECT_EQ(progress_.begun_at, 3);
  EXPECT_EQ(progress_.lines.at(1), "continuing after 3 calls");
  EXPECT_EQ(folder_.get("out/calls-000002.jsonl"), linesOf(3, 6));
  EXPECT_EQ(folder_.get("out/calls-000003.jsonl"), linesOf(6, 9));
  EXPECT_FALSE(folder_.has("out/calls-000002.jsonl.jsonl.partial"));
  EXPECT_FALSE(folder_.has("out/manifest.json.abcdefgh.new"));
}

TEST_F(ExporterTest, SendsNoRequestWhenFinished) {
  ASSERT_TRUE(exporter_.run(options_).has_value());
  server_.asked.clear();
  const Result<ExportOutcome> again = exporter_.run(options_);
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->finished_before);
  EXPECT_EQ(again->calls, 8);
  EXPECT_EQ(again->fresh, 0);
  EXPECT_TRUE(server_.asked.empty());
}

TEST_F(ExporterTest, WritesParquetAndNoOtherFiles) {
  options_.range.format = Format::kParquet;
  const Result<ExportOutcome> outcome = exporter_.run(options_);
  ASSERT_TRUE(outcome.has_value()) << messageOf(outcome);
  ASSERT_TRUE(columnar::readParquet(folder_.at("out/calls-000003.parquet"), folder_.at("lines"),
                                    callColumns()));
  EXPECT_NE(folder_.get("lines").find(R"("inputs":{"n":7})"), std::string::npos);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.at("out")))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"calls-000001.parquet", "calls-000002.parquet",
                                             "calls-000003.parquet", "manifest.json"}));
}

TEST_F(ExporterTest, RejectsTheFolderOfAnotherExport) {
  ASSERT_TRUE(exporter_.run(options_).has_value());
  ExportOptions other = options_;
  other.range.project = "team/other";
  EXPECT_NE(messageOf(exporter_.run(other)).find("another export (of team/app"), std::string::npos);
  other = options_;
  other.range.format = Format::kParquet;
  EXPECT_NE(messageOf(exporter_.run(other)).find("another export"), std::string::npos);
  other = options_;
  other.range.to = parseTimestamp("2026-01-01").value;
  EXPECT_NE(messageOf(exporter_.run(other)).find("another export"), std::string::npos);
}

TEST_F(ExporterTest, RejectsInvalidFolders) {
  folder_.put("out", "a file");
  EXPECT_NE(messageOf(exporter_.run(options_)).find("is not a folder"), std::string::npos);
  options_.folder = folder_.path();
  EXPECT_NE(messageOf(exporter_.run(options_)).find("choose an empty folder"), std::string::npos);
  options_.folder = folder_.at("broken");
  std::filesystem::create_directory(options_.folder);
  folder_.put("broken/manifest.json", "{}");
  EXPECT_NE(messageOf(exporter_.run(options_)).find("is not a manifest"), std::string::npos);
  EXPECT_TRUE(server_.asked.empty());
}

TEST_F(ExporterTest, ReportsTheReasonOfTheServer) {
  server_.response = [](const RecordedRequest&) -> Result<ApiResponse> {
    ApiResponse response;
    response.status = 404;
    response.body = R"({"reason":"Project not found"})";
    return response;
  };
  EXPECT_EQ(messageOf(exporter_.run(options_)), "the server answered 404: Project not found");
}

}  // namespace
}  // namespace spindle::transfer
