#include "inference/usage/completion_call.h"

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

TracedCompletion completion() {
  TracedCompletion completion;
  completion.project = "team/project";
  completion.id = "0199c82c-e00a-7000-8e25-000000001005";
  completion.request = R"({"model":"m","messages":[]})";
  completion.answer = R"({"choices":[]})";
  completion.model = "m";
  completion.upstream = "vllm";
  completion.request_id = "r1";
  completion.tokens = TokenUsage{7, 3, 4, 2};
  return completion;
}

TEST(CompletionCall, ContainsInputsOutputAndUsage) {
  const tracing::CompleteInput call = callOf(completion());
  EXPECT_EQ(call.project_id, "team/project");
  EXPECT_EQ(call.op_name, "openai.chat.completions.create");
  EXPECT_EQ(call.inputs.json, R"({"model":"m","messages":[]})");
  EXPECT_EQ(call.output->json, R"({"choices":[]})");
  EXPECT_EQ(call.summary.json,
            R"({"usage":{"m":{"requests":1,"prompt_tokens":7,"completion_tokens":3,)"
            R"("total_tokens":10,"cache_read_input_tokens":4,"reasoning_tokens":2}}})");
  EXPECT_EQ(call.attributes.json,
            R"({"gateway":{"request_id":"r1","upstream":"vllm","streamed":false}})");
  EXPECT_EQ(call.exception, std::nullopt);
  EXPECT_EQ(call.trace_id, call.id);
  EXPECT_EQ(call.parent_id, std::nullopt);
}

TEST(CompletionCall, ATraceparentMakesItPartOfTheClientTrace) {
  TracedCompletion traced = completion();
  traced.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const tracing::CompleteInput call = callOf(traced);
  EXPECT_EQ(call.trace_id, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(call.parent_id, "b7ad6b7169203331");
}

TEST(CompletionCall, AnInvalidTraceparentIsIgnored) {
  for (const char* header : {"00", "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                             "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                             "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                             "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
                             "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}) {
    TracedCompletion traced = completion();
    traced.traceparent = header;
    EXPECT_EQ(callOf(traced).parent_id, std::nullopt) << header;
  }
}

TEST(CompletionCall, HasTheFailureAsExceptionAndOmitsInvalidJson) {
  TracedCompletion traced = completion();
  traced.answer = "<html>";
  traced.failure = "The response ended early.";
  traced.tokens.reset();
  const tracing::CompleteInput call = callOf(traced);
  EXPECT_EQ(call.exception, "The response ended early.");
  EXPECT_EQ(call.output, std::nullopt);
  EXPECT_EQ(call.summary.json, "{}");
}

TEST(CompletionCall, AssemblesStreamedEventsToTheOutput) {
  TracedCompletion traced = completion();
  traced.streamed = true;
  traced.answer = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
  EXPECT_NE(callOf(traced).output->json.find(R"("content":"a")"), std::string::npos);
}

TEST(CompletionCall, UsesTheOpNamesOfSdks) {
  TracedCompletion traced = completion();
  traced.operation = Operation::kCompletion;
  EXPECT_EQ(callOf(traced).op_name, "openai.completions.create");
  traced.operation = Operation::kEmbedding;
  EXPECT_EQ(callOf(traced).op_name, "openai.embeddings.create");
}

}  // namespace
}  // namespace spindle::inference
