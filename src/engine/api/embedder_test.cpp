#include "engine/runtime/embedder.h"

#include <cmath>

#include <gtest/gtest.h>
#include <llama.h>

#include "engine/api/embedding_json.h"
#include "engine/runtime/llama_for_test.h"
#include "engine/runtime/model_for_test.h"

namespace spindle::engine {
namespace {

class EmbedderTest : public SharedModelTest {
 protected:
  static std::vector<Token> tokens(const std::string& text) {
    return (*model_)->tokensOf(text, true, true);
  }
  static double product(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  }
  /// Returns the mean of the token embeddings that llama.cpp computes without the engine.
  static std::vector<float> referenceEmbedding(const std::vector<Token>& text) {
    llama_context_params params = referenceParams();
    params.embeddings = true;
    params.pooling_type = LLAMA_POOLING_TYPE_NONE;
    llama_context* context = llama_init_from_model((*model_)->handle(), params);
    std::vector<double> sum(static_cast<std::size_t>(llama_model_n_embd((*model_)->handle())));
    llama_batch batch = llama_batch_init(256, 0, 1);
    for (std::size_t i = 0; i < text.size(); ++i) {
      batch.token[i] = text[i];
      batch.pos[i] = static_cast<llama_pos>(i);
      batch.n_seq_id[i] = 1;
      batch.seq_id[i][0] = 0;
      batch.logits[i] = 1;
    }
    batch.n_tokens = static_cast<std::int32_t>(text.size());
    EXPECT_EQ(llama_decode(context, batch), 0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const float* row = llama_get_embeddings_ith(context, static_cast<std::int32_t>(i));
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += static_cast<double>(row[j]);
    }
    llama_batch_free(batch);
    llama_free(context);
    double squares = 0;
    for (const double number : sum) squares += number * number;
    std::vector<float> row;
    row.reserve(sum.size());
    for (const double number : sum) row.push_back(static_cast<float>(number / std::sqrt(squares)));
    return row;
  }

  Embedder embedder_{**model_, {.context = 100, .threads = 1}};
};

TEST_F(EmbedderTest, EmbeddingIsTheNormalisedMeanOfItsTokens) {
  const auto rows = embedder_.embed({tokens("hello there")});
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ((*rows)[0].size(), embedder_.width());
  EXPECT_NEAR(product((*rows)[0], (*rows)[0]), 1, 1e-5);
  const std::vector<float> expected = referenceEmbedding(tokens("hello there"));
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR((*rows)[0][i], expected[i], 2e-3);
}

TEST_F(EmbedderTest, BatchEqualsSingleTexts) {
  std::vector<std::vector<Token>> texts;
  texts.reserve(70);
  for (int i = 0; i < 70; ++i) texts.push_back(tokens("text " + std::string(i % 7, 'x')));
  const auto together = embedder_.embed(texts);
  ASSERT_TRUE(together);
  ASSERT_EQ(together->size(), texts.size());
  for (const std::size_t i : {0U, 1U, 33U, 69U}) {
    const auto alone = embedder_.embed({texts[i]});
    ASSERT_TRUE(alone);
    EXPECT_GT(product((*alone)[0], (*together)[i]), 0.9999) << i;
  }
}

TEST_F(EmbedderTest, RefusesInvalidTexts) {
  EXPECT_EQ(embedder_.embed({{}}).error().message(), "An input is empty.");
  EXPECT_EQ(embedder_.embed({std::vector<Token>(101, 1)}).error().message(),
            "An input has 101 tokens; this model takes at most 100.");
  EXPECT_TRUE(embedder_.embed({std::vector<Token>(100, 1)}));
  EXPECT_EQ(embedder_.embed({{1 << 20}}).error().message(),
            "An input contains a token id that is not in the model's vocabulary.");
}

TEST(EmbeddingJson, WritesNumbersOrTheirBytes) {
  const std::vector<std::vector<float>> rows = {{0.1F, -1.0F}, {0.5F, 2.5e-7F}};
  EXPECT_EQ(embeddingsJson("m", rows, EmbeddingEncoding::kNumbers, 7),
            R"({"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.1,-1]},)"
            R"({"object":"embedding","index":1,"embedding":[0.5,2.5e-07]}],"model":"m",)"
            R"("usage":{"prompt_tokens":7,"total_tokens":7}})");
  EXPECT_NE(embeddingsJson("m", {{1.0F}}, EmbeddingEncoding::kBase64, 1)
                .find(R"("embedding":"AACAPw==")"),
            std::string::npos);
}

}  // namespace
}  // namespace spindle::engine
