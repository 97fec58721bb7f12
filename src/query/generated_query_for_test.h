#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace spindle::query {

/// A field that generated queries name, and JSON literals that it is compared with.
struct GeneratedField {
  std::string path;
  std::vector<std::string> literals;
  bool comparable = true;  ///< also by order; texts in several forms may not be
};

/// Generates the JSON of queries, the same ones for the same seed. Not every query is valid.
class QueryGenerator {
 public:
  QueryGenerator(std::uint64_t seed, std::vector<GeneratedField> fields)
      : random_(seed), fields_(std::move(fields)) {}

  /// Returns the value of `$expr`.
  std::string next() { return condition(2); }

  /// Returns one of the fields.
  const GeneratedField& field() { return fields_[below(fields_.size())]; }
  /// Returns a number from 0 to `end - 1`.
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

 private:
  static std::string get(const GeneratedField& field) {
    return R"({"$getField":")" + field.path + R"("})";
  }
  std::string literal(const GeneratedField& field) {
    return R"({"$literal":)" + field.literals[below(field.literals.size())] + "}";
  }
  const std::string& oneOf(const std::vector<std::string>& texts) {
    return texts[below(texts.size())];
  }

  std::string condition(int depth) {
    const std::size_t kind = depth > 0 ? below(10) : 3 + below(7);
    if (kind == 0) return R"({"$not":[)" + condition(depth - 1) + "]}";
    if (kind < 3) {
      std::string list = condition(depth - 1);
      for (std::size_t i = below(3); i > 0; --i) list += "," + condition(depth - 1);
      return (kind == 1 ? R"({"$and":[)" : R"({"$or":[)") + list + "]}";
    }
    const GeneratedField& tested = field();
    switch (kind) {
      case 3: {
        std::string list = literal(tested);
        for (std::size_t i = below(3); i > 0; --i) list += "," + literal(tested);
        return R"({"$in":[)" + get(tested) + ",[" + list + "]]}";
      }
      case 4:
        return R"({"$contains":{"input":)" + get(tested) + R"(,"substr":)" + literal(tested) +
               (below(2) == 0 ? R"(,"case_insensitive":true}})" : "}}");
      case 5: {
        const std::string to = oneOf({"int", "double", "string", "bool", "exists"});
        const std::string converted =
            R"({"$convert":{"input":)" + get(tested) + R"(,"to":")" + to + R"("}})";
        const std::string other = to == "bool" || to == "exists" ? R"({"$literal":true})"
                                  : to == "string"               ? literal(tested)
                                                                 : R"({"$literal":1})";
        return "{\"" + std::string(to == "double" ? "$gte" : "$eq") + "\":[" + converted + "," +
               other + "]}";
      }
      case 6:
        return "{\"" + oneOf({"$eq", "$gt", "$lte"}) + R"(":[{"$size":)" + get(tested) +
               R"(},{"$literal":)" + std::to_string(below(7)) + "}]}";
      case 7:
        return R"({"$eq":[)" + get(tested) + R"(,{"$literal":null}]})";
      default:
        return "{\"" +
               (tested.comparable ? oneOf({"$eq", "$eq", "$gt", "$gte", "$lt", "$lte"}) : "$eq") +
               "\":[" + get(tested) + "," + literal(tested) + "]}";
    }
  }

  std::mt19937_64 random_;
  const std::vector<GeneratedField> fields_;
};

}  // namespace spindle::query
