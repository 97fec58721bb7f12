#include "columnar/duckdb/parquet.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace spindle::columnar {
namespace {

/// Files in a folder that is removed after the test.
class Parquet : public testing::Test {
 public:
  ~Parquet() override { std::filesystem::remove_all(folder_); }

 protected:
  Parquet() : folder_(testing::TempDir() + "parquet_test." + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
  }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }

  std::string put(const std::string& content) const {
    std::ofstream(at("in.jsonl"), std::ios::binary) << content;
    return at("in.jsonl");
  }

  /// Returns the lines after a conversion to Parquet and back.
  std::string roundTrip(const std::string& content) const {
    const Result<void> there = writeParquet(put(content), at("x.parquet"), columns());
    if (!there) return there.error().message();
    const Result<void> back = readParquet(at("x.parquet"), at("out.jsonl"), columns());
    if (!back) return back.error().message();
    std::ifstream file(at("out.jsonl"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  static const std::vector<ParquetColumn>& columns() {
    static const std::vector<ParquetColumn> columns = {
        {"id", ParquetKind::kText},
        {"time", ParquetKind::kTime},
        {"step", ParquetKind::kInteger, "old_step"},
        {"payload", ParquetKind::kJson},
    };
    return columns;
  }

 private:
  const std::string folder_;
};

TEST_F(Parquet, PreservesEveryValue) {
  const std::string lines =
      R"({"id":"a","time":"2024-05-01T10:00:00.250001Z","step":9007199254740993,"payload":{"a":[1.10,1e400,123456789012345678901234567890]}})"
      "\n"
      R"({"id":"quote \" tab \t nul \u0000 é 😀","time":"0001-01-01T00:00:00Z","step":null,"payload":"text"})"
      "\n"
      R"({"id":"","time":null,"step":-1,"payload":null})"
      "\n"
      R"({"id":null,"time":"9999-12-31T23:59:59.999999Z","step":0,"payload":{}})"
      "\n";
  EXPECT_EQ(roundTrip(lines), lines);
}

TEST_F(Parquet, KeepsTheOrderOfManyLines) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i) {
    lines += R"({"id":")" + std::to_string(i) + R"(","time":null,"step":)" + std::to_string(i) +
             R"(,"payload":")" + std::string(100, 'x') + "\"}\n";
  }
  EXPECT_EQ(roundTrip(lines), lines);
}

TEST_F(Parquet, AcceptsAnEmptyFile) { EXPECT_EQ(roundTrip(""), ""); }

TEST_F(Parquet, AddsNullsAndDropsUnknownMembers) {
  EXPECT_EQ(roundTrip("{\"old_step\":7,\"more\":1}\n\n"),
            "{\"id\":null,\"time\":null,\"step\":7,\"payload\":null}\n");
}

TEST_F(Parquet, WritesIndentedJsonOnOneLine) {
  ASSERT_TRUE(writeParquet(put("{\"id\":\"{\\n\\r\\n}\"}\n"), at("x.parquet"), columns()));
  ASSERT_TRUE(readParquet(at("x.parquet"), at("out.jsonl"), {{"id", ParquetKind::kJson}}));
  std::ifstream file(at("out.jsonl"));
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "{\"id\":{   }}");
}

TEST_F(Parquet, NamesTheInvalidLine) {
  EXPECT_NE(roundTrip("{}\n{\"id\":\n").find("in.jsonl:2: not JSON"), std::string::npos);
  EXPECT_NE(roundTrip("{}\n[]\n").find("in.jsonl:2: not a JSON object"), std::string::npos);
  for (const char* line : {R"({"id":1})", R"({"time":"soon"})", R"({"step":1.5})"}) {
    EXPECT_NE(roundTrip(line).find("in.jsonl:1: \""), std::string::npos) << line;
  }
}

TEST_F(Parquet, RefusesInvalidAndMissingFiles) {
  const Result<void> text = readParquet(put("{}\n"), at("out.jsonl"), columns());
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code(), ErrorCode::kInvalidArgument);
  const Result<void> none = readParquet(at("none.parquet"), at("out.jsonl"), columns());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::kUnavailable);
  EXPECT_FALSE(writeParquet(at("none.jsonl"), at("x.parquet"), columns()));
}

TEST_F(Parquet, LeavesNoSpillBehind) {
  roundTrip("{}\n");
  for (const auto& entry : std::filesystem::directory_iterator(at("")))
    EXPECT_FALSE(entry.path().string().ends_with(".spill")) << entry.path();
}

}  // namespace
}  // namespace spindle::columnar
