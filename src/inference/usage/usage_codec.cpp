#include "inference/usage/usage_codec.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>

#include "base/core/little_endian.h"

namespace spindle::inference {
namespace {

constexpr std::size_t kMostText = 4UL * 1024;
constexpr std::size_t kLengthBytes = 4;

void putText(std::string& out, std::string_view text) {
  const std::string_view kept = text.substr(0, kMostText);
  putLittleEndian(out, static_cast<std::uint16_t>(kept.size()));
  out += kept;
}

/// Reads values in order. After a failure all further values are empty and ok() returns false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool atEnd() const { return rest_.empty(); }

  std::string_view take(std::size_t count) {
    if (!ok_ || count > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::string_view taken = take(bytes);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(taken[i])) << (8 * i);
    }
    return value;
  }

  std::int64_t integer() { return static_cast<std::int64_t>(number(8)); }
  std::string text() { return std::string(take(static_cast<std::size_t>(number(2)))); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

UsageRecord recordOf(Reader& in) {
  UsageRecord record;
  record.id = in.text();
  record.request_id = in.text();
  record.started_at = Timestamp(Timestamp::duration(in.integer()));
  record.team_id = in.text();
  record.project_id = in.text();
  record.user_id = in.text();
  record.key_id = in.text();
  record.model = in.text();
  record.upstream = in.text();
  record.operation = in.text();
  record.status = static_cast<int>(in.integer());
  const std::uint64_t flags = in.number(1);
  record.streamed = (flags & 1U) != 0;
  record.counted = (flags & 2U) != 0;
  record.tokens.prompt = in.integer();
  record.tokens.completion = in.integer();
  record.tokens.cached = in.integer();
  record.tokens.reasoning = in.integer();
  record.cost = std::bit_cast<double>(in.number(8));
  record.latency = std::chrono::microseconds(in.integer());
  const std::int64_t first_token = in.integer();
  if ((flags & 4U) != 0) record.first_token = std::chrono::microseconds(first_token);
  record.attempts = in.integer();
  return record;
}

}  // namespace

void encodeUsage(const UsageRecord& record, std::string& out) {
  const std::size_t begin = out.size();
  out.append(kLengthBytes, '\0');
  putText(out, record.id);
  putText(out, record.request_id);
  putLittleEndian(out, std::int64_t{record.started_at.time_since_epoch().count()});
  putText(out, record.team_id);
  putText(out, record.project_id);
  putText(out, record.user_id);
  putText(out, record.key_id);
  putText(out, record.model);
  putText(out, record.upstream);
  putText(out, record.operation);
  putLittleEndian(out, std::int64_t{record.status});
  const unsigned flags =
      (record.streamed ? 1U : 0U) | (record.counted ? 2U : 0U) | (record.first_token ? 4U : 0U);
  putLittleEndian(out, static_cast<std::uint8_t>(flags));
  putLittleEndian(out, record.tokens.prompt);
  putLittleEndian(out, record.tokens.completion);
  putLittleEndian(out, record.tokens.cached);
  putLittleEndian(out, record.tokens.reasoning);
  putLittleEndian(out, std::bit_cast<std::uint64_t>(record.cost));
  putLittleEndian(out, std::int64_t{record.latency.count()});
  putLittleEndian(out,
                  std::int64_t{record.first_token.value_or(std::chrono::microseconds(0)).count()});
  putLittleEndian(out, record.attempts);
  std::string length;
  putLittleEndian(length, static_cast<std::uint32_t>(out.size() - begin - kLengthBytes));
  out.replace(begin, kLengthBytes, length);
}

std::optional<std::vector<UsageRecord>> decodeUsage(std::string_view bytes) {
  std::vector<UsageRecord> records;
  Reader in(bytes);
  while (!in.atEnd()) {
    const auto length = static_cast<std::size_t>(in.number(kLengthBytes));
    if (!in.ok() || length > kMostUsageRecordBytes) return std::nullopt;
    Reader record(in.take(length));
    if (!in.ok()) return std::nullopt;
    records.push_back(recordOf(record));
    if (!record.ok() || !record.atEnd()) return std::nullopt;
  }
  return records;
}

}  // namespace spindle::inference
