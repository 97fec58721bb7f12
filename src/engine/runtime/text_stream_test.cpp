#include "engine/runtime/text_stream.h"

#include <gtest/gtest.h>

namespace spindle::engine {
namespace {

TEST(TextStream, ShowsWholeCharactersOnly) {
  TextStream stream({});
  EXPECT_EQ(stream.add("a\xF0\x9F"), "a");
  EXPECT_EQ(stream.add("\x9A"), "");
  EXPECT_EQ(stream.add("\x80z"), "\xF0\x9F\x9A\x80z");
  EXPECT_EQ(stream.add("\xC3"), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD");
}

TEST(TextStream, ReplacesInvalidBytes) {
  TextStream stream({});
  EXPECT_EQ(stream.add("\xFF"), "\xEF\xBF\xBD");
  EXPECT_EQ(stream.add("a\xC3z"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(replaceInvalidUtf8("\xED\xA0\x80").size(), 9U) << "half of a surrogate pair";
  EXPECT_EQ(replaceInvalidUtf8("\xE2\x82\xAC"), "\xE2\x82\xAC");
}

TEST(TextStream, HoldsBackPossibleStopTexts) {
  TextStream stream({"STOP"});
  EXPECT_EQ(stream.add("one ST"), "one ");
  EXPECT_EQ(stream.add("AR"), "STAR");
  EXPECT_EQ(stream.add("T S"), "T ");
  EXPECT_EQ(stream.add("TO"), "");
  EXPECT_FALSE(stream.stopped());
  EXPECT_EQ(stream.add("P two"), "");
  EXPECT_EQ(stream.stopped(), "STOP");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, FindsTheFirstStopText) {
  TextStream stream({"b", "ab", "abc"});
  EXPECT_EQ(stream.add("xabc"), "x");
  EXPECT_EQ(stream.stopped(), "abc") << "the longest at that position";
}

TEST(TextStream, IncludesTheStopTextOnRequest) {
  TextStream stream({"\n\n"}, true);
  EXPECT_EQ(stream.add("a\n"), "a");
  EXPECT_EQ(stream.add("\nb"), "\n\n");
  EXPECT_EQ(stream.stopped(), "\n\n");
}

TEST(TextStream, ReturnsTheRestAtTheEnd) {
  TextStream stream({"STOP"});
  EXPECT_EQ(stream.add("ST"), "");
  EXPECT_EQ(stream.finish(), "ST");
}

}  // namespace
}  // namespace spindle::engine
