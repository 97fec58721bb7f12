#include "transfer/call_page.h"

#include <gtest/gtest.h>

namespace spindle::transfer {
namespace {

ExportRange rangeOf(const char* from, const char* to) {
  ExportRange range;
  range.project = "team/app";
  if (from != nullptr) range.from = parseTimestamp(from).value;
  if (to != nullptr) range.to = parseTimestamp(to).value;
  return range;
}

TEST(CallPage, RequestsTheFirstPageWithoutAQuery) {
  EXPECT_EQ(pageRequest(rangeOf(nullptr, nullptr), std::nullopt, 3),
            R"({"project_id":"team/app","sort_by":[{"field":"started_at","direction":"asc"},)"
            R"({"field":"id","direction":"asc"}],"limit":3})");
}

TEST(CallPage, RequestsCallsAfterTheCursorWithinTheRange) {
  const Cursor cursor{*parseTimestamp("2026-01-02T03:04:05.000006Z").value, "call \"1\""};
  EXPECT_EQ(
      pageRequest(rangeOf("2026-01-01", "2026-02-01"), cursor, 3),
      R"({"project_id":"team/app","query":{"$expr":{"$and":[)"
      R"({"$gte":[{"$getField":"started_at"},{"$literal":"2026-01-01T00:00:00Z"}]},)"
      R"({"$lt":[{"$getField":"started_at"},{"$literal":"2026-02-01T00:00:00Z"}]},)"
      R"({"$gte":[{"$getField":"started_at"},{"$literal":"2026-01-02T03:04:05.000006Z"}]},)"
      R"({"$or":[{"$gt":[{"$getField":"started_at"},{"$literal":"2026-01-02T03:04:05.000006Z"}]},)"
      R"({"$gt":[{"$getField":"id"},{"$literal":"call \"1\""}]}]}]}},)"
      R"("sort_by":[{"field":"started_at","direction":"asc"},{"field":"id","direction":"asc"}],)"
      R"("limit":3})");
}

TEST(CallPage, CountsTheWholeRange) {
  EXPECT_EQ(countRequest(rangeOf(nullptr, nullptr)), R"({"project_id":"team/app"})");
  EXPECT_NE(countRequest(rangeOf(nullptr, "2026-02-01")).find("$lt"), std::string::npos);
  EXPECT_EQ(*countIn(R"({"count":12,"has_more":false})"), 12);
  for (const char* text : {"", "[]", "{}", R"({"count":"12"})"})
    EXPECT_FALSE(countIn(text)) << text;
}

TEST(PageLineCounter, CountsLinesSplitAnywhere) {
  PageLineCounter lines;
  EXPECT_EQ(lines.count(), 0);
  for (const char c : std::string(R"({"id":"a","started_at":"2026-01-01T00:00:00Z"})"
                                  "\n"
                                  R"({"id":"b","started_at":"2026-01-01T00:00:01.5Z"})"
                                  "\n")) {
    lines.add(std::string(1, c));
  }
  EXPECT_EQ(lines.count(), 2);
  const Result<Cursor> cursor = lines.cursor();
  ASSERT_TRUE(cursor.has_value());
  EXPECT_EQ(cursor->id, "b");
  EXPECT_EQ(formatTimestamp(cursor->started_at), "2026-01-01T00:00:01.500000Z");
}

TEST(PageLineCounter, RejectsAnEndWithinALine) {
  PageLineCounter lines;
  lines.add("{\"id\":\"a\",\"started_at\":\"2026-01-01T00:00:00Z\"}\n{\"id\"");
  EXPECT_FALSE(lines.cursor());
}

TEST(PageLineCounter, RejectsALineThatIsNotACall) {
  for (const char* line : {"[]\n", "{\"id\":\"a\"}\n", "{\"id\":1,\"started_at\":\"x\"}\n", "\n"}) {
    PageLineCounter lines;
    lines.add(line);
    EXPECT_FALSE(lines.cursor()) << line;
  }
}

}  // namespace
}  // namespace spindle::transfer
