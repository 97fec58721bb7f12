#include "transfer/importer.h"

#include <gtest/gtest.h>

#include "base/crypto/file_digest.h"
#include "base/process/durable_file.h"
#include "columnar/duckdb/parquet.h"
#include "json/document.h"
#include "transfer/call_columns.h"
#include "transfer/manifest.h"
#include "transfer/transfer_for_test.h"

namespace spindle::transfer {
namespace {

/// Fixture with a server that records the ids it receives, and rejects requests that contain "bad".
class ImporterTest : public TransferTest {
 protected:
  ImporterTest()
      : TransferTest("import"),
        importer_(
            server_, [](std::chrono::seconds) {}, progress_) {
    options_.project = "new/app";
    options_.input = folder_.path();
    options_.url = "http://server";
    server_.response = [this](const RecordedRequest& asked) { return response(asked); };
  }

  static std::string lineOf(int number, bool ended = true) {
    return R"({"id":")" + std::to_string(number) +
           R"(","trace_id":"t","op_name":"op","started_at":"2026-01-01T00:00:00Z","ended_at":)" +
           (ended ? R"("2026-01-01T00:00:01Z")" : "null") + "}\n";
  }
  static std::string linesOf(int first, int last) {
    return joined(first, last, [](int number) { return lineOf(number); });
  }

  Result<ApiResponse> response(const RecordedRequest& asked) {
    ApiResponse response;
    if (requests_left_-- == 0) return Error(ErrorCode::kUpstream, "cut off");
    response.status = asked.body.find("bad") == std::string::npos ? 200 : 400;
    if (!response.ok()) {
      response.body = R"({"reason":"Invalid UUID: bad"})";
      return response;
    }
    const auto parsed = json::Document::parse(asked.body);
    const json::Node root = std::get<json::Document>(parsed).root();
    if (const std::optional<json::Node> start = root.find("start"))
      received_.push_back("start " + start->find("id")->text());
    if (const std::optional<json::Node> batch = root.find("batch")) {
      for (const json::Node call : *batch) received_.push_back(call.find("id")->text());
    }
    return response;
  }

  Importer importer_;
  ImportOptions options_;
  std::vector<std::string> received_;
  int requests_left_ = 1000;
};

TEST_F(ImporterTest, SendsEndedCallsInBatchesAndRunningCallsSingly) {
  folder_.put("b.jsonl", lineOf(3) + "\n" + lineOf(4, false) + lineOf(5));
  folder_.put("a.jsonl", lineOf(1) + lineOf(2));
  folder_.put("notes.txt", "not looked at");
  const Result<ImportOutcome> outcome = importer_.run(options_);
  ASSERT_TRUE(outcome.has_value()) << messageOf(outcome);
  EXPECT_EQ(outcome->calls, 5);
  EXPECT_EQ(received_, (std::vector<std::string>{"1", "2", "3", "5", "start 4"}));
  ASSERT_EQ(server_.asked.size(), 3U);
  EXPECT_EQ(server_.asked[0].path, "/v2/new/app/calls/complete");
  EXPECT_EQ(server_.asked[2].path, "/v2/new/app/call/start");
  EXPECT_FALSE(folder_.has("import-state.json"));
}

TEST_F(ImporterTest, LimitsBatchesByCountAndBytes) {
  folder_.put("a.jsonl", linesOf(0, 1200));
  ASSERT_TRUE(importer_.run(options_).has_value());
  EXPECT_EQ(server_.asked.size(), 3U);
  EXPECT_EQ(received_.size(), 1200U);
  server_.asked.clear();
  std::string large;
  for (int i = 0; i < 4; ++i) {
    large += R"({"id":"x","trace_id":"t","op_name":"op","started_at":"s","inputs":{"a":")" +
             std::string(3UL << 20, 'x') + R"("},"ended_at":"e"})" + "\n";
  }
  folder_.put("a.jsonl", large);
  ASSERT_TRUE(importer_.run(options_).has_value());
  EXPECT_EQ(server_.asked.size(), 2U);
}

TEST_F(ImporterTest, ContinuesAnInterruptedImport) {
  folder_.put("a.jsonl", linesOf(0, 700));
  folder_.put("b.jsonl", linesOf(700, 1400));
  requests_left_ = 3;  // 500, 200, 500
  EXPECT_EQ(messageOf(importer_.run(options_)), "cut off");
  const Result<ImportState> state = readImportState(folder_.get("import-state.json"));
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->file, "b.jsonl");
  EXPECT_EQ(state->line, 500);
  EXPECT_EQ(state->calls, 1200);
  requests_left_ = 1000;
  const Result<ImportOutcome> outcome = importer_.run(options_);
  ASSERT_TRUE(outcome.has_value()) << messageOf(outcome);
  EXPECT_EQ(outcome->calls, 1400);
  EXPECT_EQ(received_.size(), 1400U);
  EXPECT_EQ(received_.back(), "1399");
  EXPECT_EQ(progress_.begun_at, 1200);
  EXPECT_EQ(progress_.lines, std::vector<std::string>{"continuing after b.jsonl:500"});
}

TEST_F(ImporterTest, StartsOverForAnotherTarget) {
  folder_.put("a.jsonl", linesOf(0, 700));
  requests_left_ = 1;
  EXPECT_EQ(messageOf(importer_.run(options_)), "cut off");
  requests_left_ = 1000;
  received_.clear();
  options_.project = "new/third";
  ASSERT_TRUE(importer_.run(options_).has_value());
  EXPECT_EQ(received_.size(), 700U);
}

TEST_F(ImporterTest, StopsAtABadLineAndNamesIt) {
  folder_.put("a.jsonl", lineOf(1) + "{\"id\":\n" + lineOf(3));
  const std::string message = messageOf(importer_.run(options_));
  EXPECT_EQ(message.substr(0, 19), "a.jsonl:2: not JSON");
  EXPECT_EQ(received_, std::vector<std::string>{"1"});
  folder_.put("a.jsonl", lineOf(1) + lineOf(2) + lineOf(3));
  ASSERT_TRUE(importer_.run(options_).has_value());
  EXPECT_EQ(received_, (std::vector<std::string>{"1", "2", "3"})) << "goes on behind line 1";
}

TEST_F(ImporterTest, FindsTheLineThatTheServerRejects) {
  folder_.put("a.jsonl", linesOf(0, 5) +
                             R"({"id":"bad","trace_id":"t","op_name":"o","started_at":"s",)" +
                             R"("ended_at":"e"})" + "\n" + linesOf(6, 9));
  const std::string message = messageOf(importer_.run(options_));
  EXPECT_EQ(message.substr(0, 28), "a.jsonl:6: Invalid UUID: bad");
  EXPECT_NE(message.find("--skip-bad"), std::string::npos);
}

TEST_F(ImporterTest, SkipsBadLinesWithSkipBad) {
  options_.skip_bad = true;
  folder_.put("a.jsonl", linesOf(0, 5) +
                             R"({"id":"bad","trace_id":"t","op_name":"o","started_at":"s",)" +
                             R"("ended_at":"e"})" + "\nnonsense\n" +
                             R"({"id":"bad","trace_id":"t","op_name":"o","started_at":"s"})" +
                             "\n" + linesOf(8, 10));
  const Result<ImportOutcome> outcome = importer_.run(options_);
  ASSERT_TRUE(outcome.has_value()) << messageOf(outcome);
  EXPECT_EQ(outcome->calls, 7);
  EXPECT_EQ(outcome->skipped, 3);
  EXPECT_EQ(received_.size(), 7U);
  ASSERT_EQ(progress_.lines.size(), 3U);
  EXPECT_EQ(progress_.lines[0], "skipped a.jsonl:6: Invalid UUID: bad");
}

TEST_F(ImporterTest, ImportsThePartsOfTheManifest) {
  folder_.put("calls-000001.jsonl", linesOf(0, 2));
  folder_.put("calls-000002.jsonl", "not in the manifest\n");
  Manifest manifest;
  manifest.range.project = "old/app";
  manifest.parts = {
      {"calls-000001.jsonl", 2, 0, digestOf(folder_.at("calls-000001.jsonl"))->sha256}};
  folder_.put("manifest.json", writeManifest(manifest));
  const Result<ImportOutcome> outcome = importer_.run(options_);
  ASSERT_TRUE(outcome.has_value()) << messageOf(outcome);
  EXPECT_EQ(outcome->calls, 2);
  EXPECT_EQ(progress_.whole, 2);
  EXPECT_EQ(progress_.lines,
            std::vector<std::string>{"the export is not finished: importing the parts that exist"});
  folder_.put("calls-000001.jsonl", linesOf(0, 3));
  EXPECT_NE(messageOf(importer_.run(options_)).find("not the file that was exported"),
            std::string::npos);
  manifest.parts[0].file = "../calls-000001.jsonl";
  folder_.put("manifest.json", writeManifest(manifest));
  EXPECT_NE(messageOf(importer_.run(options_)).find("not in its folder"), std::string::npos);
}

TEST_F(ImporterTest, ContinuesAnInterruptedParquetImport) {
  folder_.put("lines", linesOf(0, 700));
  ASSERT_TRUE(
      columnar::writeParquet(folder_.at("lines"), folder_.at("calls.parquet"), callColumns()));
  options_.input = folder_.at("calls.parquet");
  requests_left_ = 1;
  EXPECT_EQ(messageOf(importer_.run(options_)), "cut off");
  EXPECT_TRUE(folder_.has("calls.parquet.import-state.json"));
  requests_left_ = 1000;
  ASSERT_TRUE(importer_.run(options_).has_value());
  EXPECT_EQ(received_.size(), 700U);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().string().find("import-state"), std::string::npos) << entry.path();
}

TEST_F(ImporterTest, StoresItsStateInTheGivenFile) {
  folder_.put("a.jsonl", linesOf(0, 700));
  options_.state_file = folder_.at("elsewhere.json");
  requests_left_ = 1;
  EXPECT_EQ(messageOf(importer_.run(options_)), "cut off");
  EXPECT_TRUE(folder_.has("elsewhere.json"));
  EXPECT_FALSE(folder_.has("import-state.json"));
  folder_.put("elsewhere.json", "{}");
  EXPECT_NE(messageOf(importer_.run(options_)).find("not the state of an import"),
            std::string::npos);
}

TEST_F(ImporterTest, RejectsInvalidInputs) {
  EXPECT_NE(messageOf(importer_.run(options_)).find("contains no manifest.json"),
            std::string::npos);
  options_.input = folder_.at("none");
  EXPECT_NE(messageOf(importer_.run(options_)).find("no such folder or file"), std::string::npos);
  folder_.put("a.csv", "");
  options_.input = folder_.at("a.csv");
  EXPECT_NE(messageOf(importer_.run(options_)).find("neither a .jsonl"), std::string::npos);
}

TEST_F(ImporterTest, StopsWithoutWriteAccess) {
  folder_.put("a.jsonl", linesOf(0, 10));
  server_.response = [](const RecordedRequest&) -> Result<ApiResponse> {
    ApiResponse response;
    response.status = 404;
    response.body = R"({"reason":"Project not found"})";
    return response;
  };
  options_.skip_bad = true;
  EXPECT_EQ(messageOf(importer_.run(options_)), "the server answered 404: Project not found");
  EXPECT_EQ(server_.asked.size(), 1U);
}

}  // namespace
}  // namespace spindle::transfer
