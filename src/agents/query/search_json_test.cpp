#include "agents/query/search_json.h"

#include <string>

#include <gtest/gtest.h>

namespace spindle::agents {
namespace {

TEST(SearchJson, SearchReturnsAPreviewOrTheWholeText) {
  FoundMessage message;
  message.content = std::string(600, 'x');
  EXPECT_EQ(searchJson({message}, true).find(std::string(501, 'x')), std::string::npos);
  EXPECT_NE(searchJson({message}, true).find(std::string(500, 'x')), std::string::npos);
  EXPECT_NE(searchJson({message}, false).find(std::string(600, 'x')), std::string::npos);
}

}  // namespace
}  // namespace spindle::agents
