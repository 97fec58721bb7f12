#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tracing/store/call_store_contract_for_test.h"

namespace spindle::tracing {

// NOLINTBEGIN(misc-definitions-in-headers): a test program includes this header in one file.

TEST_P(CallStoreContract, PagesContinueAfterTheirEnd) {
  std::vector<CallPart> parts;
  for (int i = 0; i < 5000; ++i) {
    // Ten calls start at the same time, and every tenth runs.
    CallComplete call =
        complete("call" + std::to_string(10'000 + i), seconds(i / 10), seconds(i % 7));
    call.start.op_name = i % 3 == 0 ? "third" : "op";
    if (i % 10 == 0) {
      parts.emplace_back(call.start);
    } else {
      parts.emplace_back(call);
    }
  }
  write(std::move(parts));
  CallQuery third;
  third.filter.op_names = {"third"};
  CallQuery one_trace;
  one_trace.filter.trace_ids = {"trace"};
  beforeAndAfterAFlush([&] {
    for (const CallQuery& selection : {CallQuery(), third, one_trace}) {
      for (const std::string field : {"started_at", "ended_at", "inputs.n", "op_name"}) {
        CallPage page;
        page.sort_by = {{field, field != "op_name"}};
        const Texts all = read(selection, page);
        page.limit = 700;
        EXPECT_EQ(readPages(selection, page), all) << field;
      }
    }
    CallPage oldest;
    oldest.limit = 1000;
    oldest.offset = 10;
    const Texts all = read({});
    EXPECT_EQ(readPages({}, oldest), Texts(all.begin() + 10, all.end()));
  });
}

TEST_P(CallStoreContract, PagesNeitherRepeatNorLoseCallsWhileOthersArrive) {
  for (int i = 0; i < 6; ++i) write({complete("old" + std::to_string(i), seconds(i), seconds(1))});
  CallPage page;
  page.sort_by = {{"started_at", true}};
  page.limit = 2;
  page.positions = true;
  Texts seen;
  for (int i = 0; i < 10; ++i) {
    const std::unique_ptr<CallView> calls = view();
    const Result<std::unique_ptr<CallReader>> reader = calls->read({}, page, {CallColumn::kId});
    ASSERT_TRUE(reader);
    const Result<std::vector<Call>> batch = (*reader)->next();
    ASSERT_TRUE(batch);
    for (const Call& call : *batch) seen.push_back(call.id);
    EXPECT_TRUE((*reader)->next()->empty());
    page.after = (*reader)->end();
    if (!page.after) break;
    write({complete("new" + std::to_string(i), seconds(100 + i), seconds(1)),
           CallDelete{seen.back()}});
  }
  EXPECT_EQ(seen, (Texts{"old5", "old4", "old3", "old2", "old1", "old0"}));
}

TEST_P(CallStoreContract, RefusesPositionsOfAnotherOrder) {
  write({complete("a", seconds(1), seconds(1))});
  for (const std::string field : {"started_at", "inputs.n"}) {
    for (const query::Position& position :
         {query::Position{}, query::Position{"a"}, query::Position{1.5, "a"},
          query::Position{"a", "b", "c", "d"}}) {
      CallPage page;
      page.sort_by = {{field, true}};
      page.limit = 1;
      page.positions = true;
      page.after = position;
      const auto refused = view()->read({}, page, {CallColumn::kId});
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code(), ErrorCode::kUnprocessable);
    }
  }
}

TEST_P(CallStoreContract, ReadsTheBeginningOfPayloads) {
  CallComplete call = complete("a", seconds(1), seconds(1));
  call.start.inputs = R"({"n":"ä)" + std::string(1'000'000, 'x') + "\"}";
  call.start.attributes = R"({"a":"äöü"})";
  call.end.output = std::nullopt;
  call.end.exception = std::string(50, 'e');
  call.end.summary = R"({"before":"0123456789","usage":{"m":{"prompt_tokens":1}},"after":1})";
  write({call, complete("b", seconds(2), seconds(1))});
  CallProjection projection = {CallColumn::kId,     CallColumn::kException, CallColumn::kAttributes,
                               CallColumn::kInputs, CallColumn::kOutput,    CallColumn::kSummary};
  projection.preview_characters = 11;
  CallPage by_output;
  by_output.sort_by = {{"inputs.n", false}};
  by_output.limit = 5;
  CallQuery one_trace;
  one_trace.filter.trace_ids = {"trace"};
  beforeAndAfterAFlush([&] {
    for (const auto& [selection, page] :
         {std::pair(CallQuery(), CallPage()), std::pair(one_trace, CallPage()),
          std::pair(CallQuery(), by_output)}) {
      const std::unique_ptr<CallView> calls = view();
      const Result<std::unique_ptr<CallReader>> reader = calls->read(selection, page, projection);
      ASSERT_TRUE(reader);
      std::vector<Call> read = *(*reader)->next();
      ASSERT_EQ(read.size(), 2U);
      const Call& first = read[page.sort_by ? 1 : 0];
      ASSERT_EQ(first.id, "a");
      ASSERT_TRUE(first.preview);
      EXPECT_EQ(first.inputs, R"({"n":"äxxxx)");
      EXPECT_EQ(first.preview->inputs_bytes, 1'000'010);
      EXPECT_EQ(first.attributes, R"({"a":"äöü"})");
      EXPECT_EQ(first.preview->attributes_bytes, 14);
      EXPECT_FALSE(first.output);
      EXPECT_EQ(first.preview->output_bytes, 0);
      EXPECT_EQ(first.exception, std::string(11, 'e'));
      EXPECT_EQ(first.preview->exception_bytes, 50);
      EXPECT_EQ(first.summary, R"({"before":")");
      EXPECT_EQ(first.preview->usage, R"({"m":{"prompt_tokens":1}})");
      const Call& second = read[page.sort_by ? 0 : 1];
      EXPECT_EQ(second.summary, "{}");
      EXPECT_EQ(second.preview->summary_bytes, 2);
      EXPECT_FALSE(second.preview->usage);
    }
  });
}

TEST_P(CallStoreContract, OutlinesATrace) {
  CallComplete root = complete("root", seconds(1), seconds(9));
  root.start.display_name = "Root";
  root.start.attributes = R"({"kind":"agent","operation_name":"invoke_agent"})";
  CallComplete child =
      withUsage(complete("child", seconds(2), seconds(1)), R"({"m":{"prompt_tokens":7}})");
  child.start.parent_id = "root";
  child.start.attributes = R"({"svc":{"kind":"LLM"}})";
  child.end.exception = "boom";
  CallStart open = complete("open", seconds(3), seconds(1)).start;
  open.parent_id = "root";
  CallComplete other = complete("other", seconds(1), seconds(1));
  other.start.trace_id = "another";
  write({open, child, root, other, complete("gone", seconds(1), seconds(1))});
  write({CallDelete{"gone"}});
  beforeAndAfterAFlush([&] {
    const Result<std::vector<OutlinedCall>> outline = view()->outline("trace", 10);
    ASSERT_TRUE(outline);
    ASSERT_EQ(outline->size(), 3U);
    EXPECT_EQ((*outline)[0].id, "root");
    EXPECT_EQ((*outline)[0].display_name, "Root");
    EXPECT_EQ((*outline)[0].kind, "agent");
    EXPECT_EQ((*outline)[0].operation, "invoke_agent");
    EXPECT_EQ((*outline)[0].parent_id, std::nullopt);
    EXPECT_EQ((*outline)[0].ended_at, at(seconds(10)));
    EXPECT_EQ((*outline)[0].usage, std::nullopt);
    EXPECT_EQ((*outline)[1].id, "child");
    EXPECT_EQ((*outline)[1].op_name, "op");
    EXPECT_EQ((*outline)[1].parent_id, "root");
    EXPECT_EQ((*outline)[1].kind, "LLM");
    EXPECT_TRUE((*outline)[1].failed);
    EXPECT_EQ((*outline)[1].usage, R"({"m":{"prompt_tokens":7}})");
    EXPECT_EQ((*outline)[2].id, "open");
    EXPECT_EQ((*outline)[2].started_at, at(seconds(3)));
    EXPECT_EQ((*outline)[2].ended_at, std::nullopt);
    EXPECT_EQ(view()->outline("trace", 2)->size(), 2U);
    EXPECT_TRUE(view()->outline("unknown", 10)->empty());
    EXPECT_TRUE(view("")->outline("trace", 10)->empty());
  });
}

TEST_P(CallStoreContract, FindsTextInLettersOfEitherCase) {
  CallComplete named = complete("named", seconds(1), seconds(1));
  named.start.display_name = "Give a REFUND, Ärger";
  CallComplete asked = complete("asked", seconds(2), seconds(1));
  asked.start.inputs = R"({"text":")" + std::string(1000, 'x') + R"( I said \"refund, ärger\")" +
                       std::string(1000, 'y') + "\"}";
  asked.end.output = R"("Refund: 100%")";
  write({named, asked, complete("other", seconds(3), seconds(1))});
  beforeAndAfterAFlush([&] {
    CallSearch search;
    search.text = "reFund, äRger";
    Result<std::vector<FoundCall>> found = view()->search(search);
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ((*found)[0].id, "asked");
    EXPECT_EQ((*found)[0].name, "op");
    EXPECT_EQ((*found)[0].trace_id, "trace");
    EXPECT_EQ((*found)[0].started_at, at(seconds(2)));
    ASSERT_EQ((*found)[0].texts.size(), 1U);
    const FoundText& text = (*found)[0].texts[0];
    EXPECT_EQ(text.field, SearchedField::kInputs);
    EXPECT_EQ(text.before, std::string(kFoundBefore - 10, 'x') + R"( I said \")");
    EXPECT_EQ(text.match, "refund, ärger");
    EXPECT_EQ(text.after, R"(\")" + std::string(kFoundAfter - 2, 'y'));
    EXPECT_EQ((*found)[1].id, "named");
    ASSERT_EQ((*found)[1].texts.size(), 1U);
    EXPECT_EQ((*found)[1].texts[0].field, SearchedField::kName);
    EXPECT_EQ((*found)[1].texts[0].before, "Give a ");
    EXPECT_EQ((*found)[1].texts[0].match, "REFUND, Ärger");
    EXPECT_EQ((*found)[1].texts[0].after, "");
    search.text = "said \"Refund";
    EXPECT_EQ(view()->search(search)->size(), 1U);
    search.text = "100%";
    EXPECT_EQ(view()->search(search)->size(), 1U);
    search.text = "%";
    search.limit = 1;
    EXPECT_EQ(view()->search(search)->size(), 1U);
    search.text = "refund";
    search.since = at(seconds(1));
    search.until = at(seconds(2));
    found = view()->search(search);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ((*found)[0].id, "named");
    search.text = "nowhere";
    EXPECT_TRUE(view()->search(search)->empty());
  });
}

// NOLINTEND(misc-definitions-in-headers)

}  // namespace spindle::tracing
