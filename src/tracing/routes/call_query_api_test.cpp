#include "tracing/routes/call_query_api.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/core/paging.h"
#include "query/codec.h"
#include "schema/parse.h"
#include "tracing/ingest/payload_for_test.h"

namespace spindle::tracing {
namespace {

using Texts = std::vector<std::string>;

class CallQueryTest : public ::testing::Test {
 protected:
  Result<CallQuery> selected(CallFilter filter) {
    return callQueryOf(std::move(filter), std::nullopt, std::nullopt, project_, projects_);
  }
  static query::Query parsed(const std::string& expression) {
    Result<query::Query> query =
        schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}");
    EXPECT_TRUE(query);
    return query ? *std::move(query) : query::Query();
  }
  /// Returns the string literals of the converted query, in order.
  Texts literals(const std::string& expression) {
    const Result<CallQuery> selection =
        callQueryOf(std::nullopt, parsed(expression), std::nullopt, project_, projects_);
    EXPECT_TRUE(selection);
    Texts texts;
    query::visit(selection->query->expression, [&texts](const query::Expression& node) {
      if (const auto* text = std::get_if<std::string>(&node.literal);
          node.op == query::Operator::kLiteral && text != nullptr)
        texts.push_back(*text);
    });
    return texts;
  }

  ProjectScope project_{"prj_1", "team/app"};
  ProjectsForTest projects_;
};

TEST_F(CallQueryTest, SelectsEverythingByDefault) {
  const Result<CallQuery> selection =
      callQueryOf(std::nullopt, std::nullopt, std::nullopt, project_, projects_);
  ASSERT_TRUE(selection);
  EXPECT_FALSE(selection->filter.op_names);
  EXPECT_FALSE(selection->query);
  EXPECT_TRUE(selection->expand_columns.empty());
}

TEST_F(CallQueryTest, MakesRefsInFiltersInternal) {
  CallFilter filter;
  filter.op_names = {"svc:///team/app/op/f:*", "plain"};
  filter.input_refs = {"svc:///team/app/object/o:d"};
  const Result<CallQuery> selection = selected(filter);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->filter.op_names, (Texts{"svc-trace-internal:///prj_1/op/f:*", "plain"}));
  EXPECT_EQ(selection->filter.input_refs, (Texts{"svc-trace-internal:///prj_1/object/o:d"}));
}

TEST_F(CallQueryTest, MakesRefsInLiteralsInternal) {
  EXPECT_EQ(literals(R"({"$eq":[{"$getField":"op_name"},{"$literal":"svc:///team/app/op/f:d"}]})"),
            (Texts{"svc-trace-internal:///prj_1/op/f:d"}));
  EXPECT_EQ(literals(R"({"$in":[{"$getField":"inputs.m"},[{"$literal":"x"},)"
                     R"({"$literal":"svc:///team/app/object/o:d"}]]})"),
            (Texts{"x", "svc-trace-internal:///prj_1/object/o:d"}));
}

TEST_F(CallQueryTest, NeutralizesServerOps) {
  const std::string vendor(wire::opNameFor(wire::Spelling::kVendor, "svc.completions_create"));
  CallFilter filter;
  filter.op_names = {vendor};
  EXPECT_EQ(selected(filter)->filter.op_names, (Texts{"svc.completions_create"}));
  EXPECT_EQ(literals(R"({"$eq":[{"$getField":"op_name"},{"$literal":")" + vendor + R"("}]})"),
            (Texts{"svc.completions_create"}));
}

TEST_F(CallQueryTest, QualifiesRuns) {
  CallFilter filter;
  filter.svc_run_ids = {"run", "e/p/other"};
  EXPECT_EQ(selected(filter)->filter.svc_run_ids, (Texts{"team/app/run", "e/p/other"}));
}

TEST_F(CallQueryTest, LimitsEveryList) {
  CallFilter filter;
  filter.trace_ids = Texts(1000, "x");
  EXPECT_TRUE(selected(filter));
  filter.trace_ids = Texts(1001, "x");
  const Result<CallQuery> selection = selected(filter);
  ASSERT_FALSE(selection);
  EXPECT_EQ(selection.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(selection.error().message(),
            "Parameter: 'trace_ids' request length is greater than max length (1000). Actual "
            "length: 1001");
}

TEST_F(CallQueryTest, RejectsNegativeNumbers) {
  EXPECT_EQ(pageOf(std::nullopt, -1, std::nullopt).error().message(),
            "Limit must be a positive integer");
  EXPECT_EQ(pageOf(std::nullopt, std::nullopt, -1).error().message(),
            "Offset must be a positive integer");
  const Result<CallPage> page = pageOf(std::nullopt, 0, 3);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->limit, 0);
  EXPECT_EQ(page->offset, 3);
}

TEST_F(CallQueryTest, LimitAndOffsetDoNotOverflowTogether) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const Result<CallPage> page = pageOf(std::nullopt, kLargest, kLargest);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->limit, kMaxRows);
  EXPECT_EQ(page->offset, kMaxRows);
}

TEST_F(CallQueryTest, ParsesAFilterAndIgnoresUnknownMembers) {
  const Result<CallFilter> filter = schema::parse(
      callFilterCodec(), R"({"op_names":null,"thread_ids":[],"trace_roots_only":true,"other":1})");
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->op_names);
  EXPECT_EQ(filter->thread_ids, Texts());
  EXPECT_EQ(filter->trace_roots_only, true);
  EXPECT_FALSE(schema::parse(callFilterCodec(), R"({"op_names":"a"})"));
}

}  // namespace
}  // namespace spindle::tracing
