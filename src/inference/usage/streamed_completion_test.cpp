#include "inference/usage/streamed_completion.h"

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

TEST(StreamedAnswer, AssemblesTextPerChoice) {
  const std::string events =
      R"(data: {"id":"c1","created":7,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})"
      "\n\n: ping\n\n"
      R"(data: {"id":"c1","choices":[{"index":1,"delta":{"content":"B"}},{"index":0,"delta":{"content":"A"}}]})"
      "\r\n\r\n"
      R"(data: {"choices":[{"index":0,"delta":{"content":"\n2"}},{"index":0,"delta":{},"finish_reason":"stop"}]})"
      "\n\n"
      R"(data: {"choices":[],"usage":{"prompt_tokens":1}})"
      "\n\ndata: [DONE]\n\n";
  EXPECT_EQ(
      assembleCompletion(events),
      R"({"object":"chat.completion","created":7,"id":"c1","model":"m","usage":{"prompt_tokens":1},)"
      R"("choices":[{"index":0,"message":{"role":"assistant","content":"A\n2"},"finish_reason":"stop"},)"
      R"({"index":1,"message":{"role":"assistant","content":"B"},"finish_reason":null}]})");
}

TEST(StreamedAnswer, AssemblesReasoningAndToolCalls) {
  const std::string events =
      R"(data: {"choices":[{"index":0,"delta":{"reasoning":"let me "}}]})"
      "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"reasoning":"see"}}]})"
      "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"add","arguments":""}}]}}]})"
      "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}}]})"
      "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":"tool_calls"}]})"
      "\n\n";
  EXPECT_EQ(
      assembleCompletion(events),
      R"({"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,)"
      R"("reasoning":"let me see","tool_calls":[{"id":"call_1","type":"function","function":)"
      R"({"name":"add","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]})");
}

TEST(StreamedAnswer, AssemblesTokensAndLogprobs) {
  const std::string events =
      R"(data: {"prompt_token_ids":[7,8],"choices":[{"index":0,"delta":{"content":""},"logprobs":null}]})"
      "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"content":"A"},"logprobs":{"content":[{"token":"A"}],"refusal":null},"token_ids":[1]}]})"
      "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"content":""},"logprobs":{"content":[]},"token_ids":[]}]})"
      "\n\n"
      R"(data: {"choices":[{"index":0,"delta":{"content":"BC"},"logprobs":{"content":[{"token":"B"},{"token":"C"}]},"token_ids":[2,3]}]})"
      "\n\n";
  EXPECT_EQ(assembleCompletion(events),
            R"({"object":"chat.completion","prompt_token_ids":[7,8],"choices":[{"index":0,)"
            R"("message":{"role":"assistant","content":"ABC"},"finish_reason":null,"logprobs":)"
            R"({"content":[{"token":"A"},{"token":"B"},{"token":"C"}],"refusal":null},)"
            R"("token_ids":[1,2,3]}]})");
}

TEST(StreamedAnswer, AssemblesLegacyCompletions) {
  EXPECT_EQ(assembleCompletion("data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\n"
                               "data: {\"choices\":[{\"index\":0,\"text\":\"b\",\"finish_reason\":"
                               "\"length\"}]}\n\n"),
            R"({"object":"text_completion","choices":[{"index":0,"text":"ab",)"
            R"("finish_reason":"length"}]})");
}

TEST(StreamedAnswer, KeepsAnErrorInTheStream) {
  EXPECT_EQ(
      assembleCompletion("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
                         "data: {\"error\":{\"message\":\"no\"}}\n\n"),
      R"({"object":"chat.completion","error":{"message":"no"},"choices":[{"index":0,)"
      R"("message":{"role":"assistant","content":"a"},"finish_reason":null}]})");
}

TEST(StreamedAnswer, IgnoresInvalidEvents) {
  EXPECT_EQ(assembleCompletion("data: {broken\n\ndata: [1]\n\ndata:\n\nnonsense"),
            R"({"object":"chat.completion","choices":[]})");
}

}  // namespace
}  // namespace spindle::inference
