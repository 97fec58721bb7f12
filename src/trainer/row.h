#pragma once

#include <cstdint>
#include <vector>

namespace spindle::trainer {

/// A run of tokens that look at each other, each at itself and those before it, and at all of the
/// parent's, if it has one: a beginning that several sequences share stands in a row once.
struct Span {
  std::int64_t begin = 0;
  std::int64_t length = 0;
  std::int64_t parent_begin = 0;
  std::int64_t parent_length = 0;  ///< 0: none
};

/// Sequences one behind the other, as a model reads them in one go. Spans cover it without holes.
struct Row {
  std::vector<std::int64_t> tokens;
  std::vector<std::int64_t> positions;
  std::vector<Span> spans;
};

/// Tokens that are to be foretold: token `tokens[i]` behind the row's token `at[i]`.
struct Targets {
  std::vector<std::int64_t> at;
  std::vector<std::int64_t> tokens;
};

/// One sequence alone.
Row rowOf(const std::vector<std::int64_t>& tokens);
/// Puts a sequence behind what stands there.
void append(Row& row, const std::vector<std::int64_t>& tokens);

}  // namespace spindle::trainer
