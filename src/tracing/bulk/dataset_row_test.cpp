#include "tracing/bulk/dataset_row.h"

#include <gtest/gtest.h>

namespace spindle::tracing {
namespace {

DatasetColumn column(const std::string& name, const std::string& path) {
  Result<DatasetColumn> made = datasetColumn(name, path);
  EXPECT_TRUE(made) << path;
  return *std::move(made);
}

Call callWithPayloads() {
  Call call;
  call.id = "c1";
  call.trace_id = "t1";
  call.op_name = "chat";
  call.inputs = R"({"question":"Why?","messages":[{"role":"user"},{"role":"tool"}],"n":1.50})";
  call.output = R"("because")";
  return call;
}

TEST(DatasetRowTest, TakesValuesFromPayloadsUnchanged) {
  const ProjectScope project{"prj_1", "team/app"};
  EXPECT_EQ(datasetRow(callWithPayloads(), project,
                       {column("q", "inputs.question"), column("role", "inputs.messages.1.role"),
                        column("n", "inputs.n"), column("answer", "output")}),
            R"({"q":"Why?","role":"tool","n":1.50,"answer":"because"})");
}

TEST(DatasetRowTest, HasNullForMissingValues) {
  EXPECT_EQ(datasetRow(callWithPayloads(), {"prj_1", "team/app"},
                       {column("a", "inputs.messages.2"), column("b", "summary.x"),
                        column("c", "exception"), column("d", "output.deep")}),
            R"({"a":null,"b":null,"c":null,"d":null})");
}

TEST(DatasetRowTest, TakesTextsAndTheReferenceOfTheCall) {
  const std::string row =
      datasetRow(callWithPayloads(), {"prj_1", "team/app"},
                 {column("id", "id"), column("op", "op_name"), column("call", "ref")});
  EXPECT_TRUE(row.starts_with(R"({"id":"c1","op":"chat","call":")")) << row;
  EXPECT_NE(row.find(":///prj_1/call/c1\""), std::string::npos) << row;
}

TEST(DatasetRowTest, RefusesOtherPaths) {
  for (const std::string path : {"mood", "id.x", "started_at", "feedback.x"})
    EXPECT_FALSE(datasetColumn("name", path)) << path;
}

}  // namespace
}  // namespace spindle::tracing
