#include "agents/sql/span_row.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "agents/query/span_time_for_test.h"
#include "agents/store/span_size.h"
#include "columnar/journal/row_codec.h"

namespace spindle::agents {
namespace {

TEST(SpanRow, StoredBytesIsAnUpperBoundInTheJournal) {
  std::vector<AgentSpan> spans(4);
  for (AgentSpan& one : spans) {
    one.trace_id = std::string(32, 'a');
    one.span_id = std::string(16, 'b');
  }
  spans[1].raw_span_dump = std::string(100'000, 'x');
  spans[1].input_tokens = std::numeric_limits<std::int64_t>::max();
  spans[1].request_temperature = 0.7;
  spans[1].ended_at = at(5);
  spans[1].expire_at = at(5);
  spans[1].turn_number = std::numeric_limits<std::int64_t>::min();
  spans[2].input_messages = {{"user", std::string(1000, '\x01') + "\"\\\n\x7F", "stop"}, {}};
  spans[2].output_messages.assign(500, {"", "", ""});
  spans[2].finish_reasons = {"", "a", std::string(200, 'f')};
  spans[3].custom.strings = {{std::string(50, '\x02'), std::string(300, '"')}, {"", ""}};
  spans[3].custom.integers = {{"i", std::numeric_limits<std::int64_t>::min()}};
  spans[3].custom.reals = {{"r", -1.2345678901234567e-300}};
  spans[3].custom.booleans = {{"b", false}};
  for (const AgentSpan& one : spans) {
    EXPECT_GE(storedBytes(one), columnar::encodedBytes(rowOf(one)));
    EXPECT_LE(storedBytes(one), 2 * columnar::encodedBytes(rowOf(one)) + 512);
  }
}

}  // namespace
}  // namespace spindle::agents
