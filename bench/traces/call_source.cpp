#include "traces/call_source.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace spindle::bench {
namespace {

constexpr std::uint64_t kCallsPerTrace = 4;
constexpr std::int64_t kStepUs = 2'000;  // between the starts of two calls
constexpr std::array<const char*, 8> kOps = {"chat_turn", "retrieve", "rerank",    "generate",
                                             "classify",  "route",    "summarise", "extract"};
constexpr std::array<const char*, 4> kModels = {"gpt-4o", "gpt-4o-mini", "claude-sonnet-4",
                                                "qwen3"};
constexpr std::array<const char*, 32> kWords = {
    "order",  "refund", "ship",   "late",   "please", "account", "invoice", "number",
    "change", "cancel", "status", "the",    "a",      "of",      "and",     "customer",
    "asked",  "about",  "policy", "window", "days",   "blue",    "item",    "returned",
    "was",    "not",    "yet",    "seen",   "by",     "our",     "team",    "today"};

/// SplitMix64: fast, and sufficient to generate texts that do not repeat.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

std::string words(std::uint64_t seed, int count) {
  std::string text;
  std::uint64_t state = seed;
  for (int i = 0; i < count; ++i) {
    state = mix(state);
    if (i > 0) text += ' ';
    text += kWords[state % kWords.size()];
    if (state % 11 == 0) text += std::to_string(state % 9973);
  }
  return text;
}

std::string uuid(std::int64_t us, std::uint64_t tail) {
  const auto ms = static_cast<std::uint64_t>(us / 1000);
  const std::uint64_t random = mix(tail);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-7%03x-8%03x-%012llx",
                static_cast<unsigned>(ms >> 16), static_cast<unsigned>(ms & 0xFFFF),
                static_cast<unsigned>(us % 1000 * 4), static_cast<unsigned>(random & 0xFFF),
                static_cast<unsigned long long>(tail & 0xFFFFFFFFFFFFULL));
  return text.data();
}

}  // namespace

BenchCall makeCall(std::uint64_t index, std::int64_t epoch_us) {
  const std::uint64_t trace = index / kCallsPerTrace;
  const std::uint64_t place = index % kCallsPerTrace;
  const std::int64_t trace_us =
      epoch_us + static_cast<std::int64_t>(trace * kCallsPerTrace) * kStepUs;
  const std::uint64_t chance = mix(index);
  BenchCall call;
  call.started_at_us = trace_us + static_cast<std::int64_t>(place) * kStepUs;
  call.ended_at_us = call.started_at_us + 1000 + static_cast<std::int64_t>(chance % 2'000'000);
  call.trace_id = uuid(trace_us, trace | 1ULL << 47);
  call.id = uuid(call.started_at_us, index);
  if (place > 0) call.parent_id = uuid(trace_us, trace * kCallsPerTrace);
  call.op_name = place == 0 ? kOps[0] : kOps[1 + chance % (kOps.size() - 1)];
  const bool failed = chance % 50 == 0;
  if (failed) call.exception = "TimeoutError: the upstream did not answer in 30 s";
  const char* model = kModels[chance % kModels.size()];
  const std::string user = std::to_string(chance % 5000);
  call.attributes = R"({"env":"production","region":"eu-west-1","user":")" + user +
                    R"(","release":"2026.11.)" + std::to_string(index / 1'000'000) + "\"}";
  call.inputs = std::string(R"({"model":")") + model + R"(","temperature":0.2,"messages":[)" +
                R"({"role":"system","content":"You are a helpful assistant of a shop."},)" +
                R"({"role":"user","content":")" + words(chance, 36) + R"("}],"top_k":)" +
                std::to_string(chance % 16) + "}";
  call.output = failed ? "null"
                       : R"({"role":"assistant","content":")" + words(chance ^ 1, 44) +
                             R"(","finish_reason":"stop"})";
  call.summary = std::string(R"({"usage":{")") + model + R"(":{"requests":1,"prompt_tokens":)" +
                 std::to_string(200 + chance % 800) + R"(,"completion_tokens":)" +
                 std::to_string(40 + chance % 300) + R"(,"total_tokens":)" +
                 std::to_string(240 + chance % 1100) + R"(}},"status_counts":{"success":)" +
                 (failed ? "0,\"error\":1}}" : "1,\"error\":0}}");
  return call;
}

std::string timeText(std::int64_t us) {
  const std::time_t seconds = us / 1'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> day{};
  std::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%06dZ", static_cast<int>(us % 1'000'000));
  return std::string(day.data()) + fraction.data();
}

void appendJson(const BenchCall& call, const std::string& project, std::string& out) {
  out += R"({"project_id":")" + project + R"(","id":")" + call.id + R"(","trace_id":")" +
         call.trace_id + R"(","parent_id":)" +
         (call.parent_id.empty() ? "null" : "\"" + call.parent_id + "\"") + R"(,"op_name":")" +
         call.op_name + R"(","started_at":")" + timeText(call.started_at_us) + R"(","ended_at":")" +
         timeText(call.ended_at_us) + R"(","exception":)" +
         (call.exception.empty() ? "null" : "\"" + call.exception + "\"") + R"(,"attributes":)" +
         call.attributes + R"(,"inputs":)" + call.inputs + R"(,"output":)" + call.output +
         R"(,"summary":)" + call.summary + "}";
}

}  // namespace spindle::bench
