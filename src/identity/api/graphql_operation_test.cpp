#include "identity/api/graphql_operation.h"

#include <gtest/gtest.h>

namespace spindle::identity {
namespace {

TEST(GraphqlOperation, ReturnsTheOperationName) {
  for (const char* text : {"query DefaultEntity { viewer { username } }",
                           "\n    query DefaultEntity {\n  viewer\n}"}) {
    EXPECT_EQ(operationName(text), "DefaultEntity") << text;
  }
  EXPECT_EQ(operationName("mutation UpsertModel($name: String!) { x }"), "UpsertModel");
  EXPECT_EQ(operationName("# a comment\n,query\tProject_2(a: 1){x}"), "Project_2");
}

TEST(GraphqlOperation, ReturnsNothingWithoutAName) {
  for (const char* text : {"", "{ viewer { username } }", "query { viewer }",
                           "query($a: Int) { x }", "fragment F on T { x }", "#", "querying Name"}) {
    EXPECT_EQ(operationName(text), "") << text;
  }
}

}  // namespace
}  // namespace spindle::identity
