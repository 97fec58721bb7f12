#pragma once

#include <cstdint>
#include <vector>

namespace spindle::trainer {

/// A run of tokens with causal attention among themselves. The tokens also attend to all tokens of
/// the parent span, if there is one: a prefix that several sequences share occurs in a row only
/// once.
struct Span {
  std::int64_t begin = 0;
  std::int64_t length = 0;
  std::int64_t parent_begin = 0;
  std::int64_t parent_length = 0;  ///< 0: none
};

/// Packed sequences that a model processes together. The spans cover the row without gaps.
struct Row {
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> positions;
  std::vector<Span> spans;
};

/// Tokens to predict: `tokens[i]` is the target at the row's token `at[i]`.
struct Targets {
  std::vector<std::int64_t> at;
  std::vector<std::int64_t> tokens;
};

/// Returns a row with one sequence.
Row rowOf(const std::vector<std::int64_t>& tokens);
/// Appends a sequence to a row.
void append(Row& row, const std::vector<std::int64_t>& tokens);

}  // namespace spindle::trainer
