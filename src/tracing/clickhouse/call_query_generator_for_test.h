#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace spindle::tracing {

/// Generates calls' values and queries over them. Equal seeds give equal results.
class CallQueryGenerator {
 public:
  explicit CallQueryGenerator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  bool oneIn(std::size_t count) { return below(count) == 0; }
  const std::string& oneOf(const std::vector<std::string>& texts) {
    return texts[below(texts.size())];
  }

  /// Returns a JSON value. Inside of objects and arrays, numbers have the text that both engines
  /// give them; the exceptions are in the README of `query`.
  std::string value(int depth = 2) {
    static const std::vector<std::string> kScalars = {
        "1",     "1.5",       "-7",           "0",        "255",    "256",       "9007199254740993",
        "true",  "false",     "null",         R"("")",    R"("1")", R"("1.0")",  R"("text")",
        "-0.25", R"("Text")", R"("ÄÖ\n\"q")", R"("a b")", R"("0")", R"("true")", R"("12e3")"};
    if (depth == 0 || !oneIn(4)) return oneOf(kScalars);
    if (oneIn(2)) return "[" + value(depth - 1) + "," + value(depth - 1) + "]";
    return R"({"b":)" + value(depth - 1) + R"(,"0":)" + value(depth - 1) + "}";
  }

  /// Returns a field of a query or a sort key.
  std::string field() { return oneIn(3) ? oneOf(columns()) : oneOf(jsonPaths()); }

  /// Returns an operation of a query.
  std::string operation(int depth = 3) {
    switch (below(depth > 0 ? 9 : 6)) {
      case 0:
      case 1:
        return binary("$eq");
      case 2:
        return binary(oneOf({"$gt", "$gte", "$lt", "$lte"}));
      case 3:
        return R"({"$in":[)" + operand() + ",[" + literal() + "," + literal() + "," + literal() +
               "]]}";
      case 4:
      case 5:
        return R"({"$contains":{"input":)" + operand() + R"(,"substr":)" + text() +
               (oneIn(2) ? R"(,"case_insensitive":true}})" : "}}");
      case 6:
        return R"({"$not":[)" + operation(depth - 1) + "]}";
      case 7:
        return R"({"$and":[)" + operation(depth - 1) + "," + operation(depth - 1) + "]}";
      default:
        return R"({"$or":[)" + operation(depth - 1) + "," + operation(depth - 1) + "]}";
    }
  }

 private:
  static const std::vector<std::string>& columns() {
    static const std::vector<std::string> kColumns = {"id",
                                                      "trace_id",
                                                      "parent_id",
                                                      "thread_id",
                                                      "turn_id",
                                                      "op_name",
                                                      "display_name",
                                                      "started_at",
                                                      "ended_at",
                                                      "exception",
                                                      "svc_user_id",
                                                      "svc_run_id",
                                                      "svc_run_step",
                                                      "svc_run_step_end",
                                                      "expire_at",
                                                      "deleted_at",
                                                      "project_id",
                                                      "input_refs",
                                                      "output_refs",
                                                      "summary.svc.latency_ms",
                                                      "summary.svc.status",
                                                      "summary.svc.trace_name",
                                                      "annotation_queue_items.queue_id",
                                                      "feedback.[note].payload.x",
                                                      "feedback.[*].payload.x",
                                                      "feedback.[score].payload.b",
                                                      "feedback.[note].payload",
                                                      "feedback.[*].runnable_ref",
                                                      "feedback.[score].trigger_ref"};
    return kColumns;
  }
  static const std::vector<std::string>& jsonPaths() {
    static const std::vector<std::string> kPaths = {
        "inputs.a",       "inputs.a.b",    "inputs.a.0", "inputs.l.0",      "inputs.l.1.b",
        "inputs.missing", "output",        "output.b",   "output.0",        "attributes.tag",
        "attributes.n",   "summary.score", "inputs.ref", "inputs.ref.size", "inputs.ref.name"};
    return kPaths;
  }

  std::string binary(const std::string& op) {
    const bool swapped = oneIn(6);
    const std::string other = oneIn(6) ? operand() : literal();
    const std::string first = operand();
    return "{\"" + op + "\":[" + (swapped ? other + "," + first : first + "," + other) + "]}";
  }

  std::string operand() {
    const std::string read = R"({"$getField":")" + field() + R"("})";
    switch (below(8)) {
      case 0:
        return R"({"$size":)" + read + "}";
      case 1:
      case 2:
        return R"({"$convert":{"input":)" + read + R"(,"to":")" +
               oneOf({"int", "double", "string", "bool", "exists"}) + R"("}})";
      default:
        return read;
    }
  }

  std::string literal() {
    static const std::vector<std::string> kLiterals = {"1",
                                                       "0",
                                                       "-7",
                                                       "1.5",
                                                       "256",
                                                       "true",
                                                       "false",
                                                       "null",
                                                       R"("")",
                                                       R"("1")",
                                                       R"("text")",
                                                       R"("Text")",
                                                       R"("chat")",
                                                       R"("running")",
                                                       R"("success")",
                                                       R"("call100")",
                                                       R"("trace1")",
                                                       R"("2024-10-04T00:00:10Z")",
                                                       "5000",
                                                       R"("a b")",
                                                       R"("5")",
                                                       R"("queue1")",
                                                       R"("ref:0")",
                                                       R"("team/app")",
                                                       R"("true")",
                                                       R"([1,2])"};
    return R"({"$literal":)" + oneOf(kLiterals) + "}";
  }

  std::string text() {
    static const std::vector<std::string> kParts = {R"("t")", R"("1")",     R"(".")",     R"("Ä")",
                                                    R"("")",  R"("ext")",   R"("OTHER")", R"("a")",
                                                    R"("0")", R"("call1")", R"("\n")"};
    return R"({"$literal":)" + oneOf(kParts) + "}";
  }

  std::mt19937_64 random_;
};

}  // namespace spindle::tracing
