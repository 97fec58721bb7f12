#include "trainer/kernels/row.h"

namespace spindle::trainer {

Row rowOf(const std::vector<std::int64_t>& tokens) {
  Row row;
  append(row, tokens);
  return row;
}

void append(Row& row, const std::vector<std::int64_t>& tokens) {
  const auto begin = static_cast<std::int64_t>(row.tokens.size());
  const auto length = static_cast<std::int64_t>(tokens.size());
  row.tokens.insert(row.tokens.end(), tokens.begin(), tokens.end());
  for (std::int64_t i = 0; i < length; ++i) row.positions.push_back(i);
  row.spans.push_back({.begin = begin, .length = length});
}

}  // namespace spindle::trainer
