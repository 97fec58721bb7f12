#include "evaluation/scoring/scorer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <re2/re2.h>

#include "base/core/ascii.h"
#include "evaluation/scoring/judge.h"
#include "evaluation/scoring/object_parameters.h"
#include "evaluation/scoring/prompt_template.h"
#include "evaluation/scoring/scorer_columns.h"
#include "evaluation/scoring/scorer_text.h"
#include "feedback/json_schema.h"
#include "json/document.h"
#include "json/stored.h"
#include "objects/values/canonical_json.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::evaluation {
namespace {

using json::Document;
using json::Node;
using schema::boolean, schema::Codec, schema::ifPresent, schema::number, schema::Record;

/// Computes the value of an output, and of a target if the rule has one. All are JSON texts.
/// Returns the value, or the reason for a missing value.
using Rule =
    std::function<Result<std::string>(const std::string& output, const std::string& target)>;
/// Creates the rule of one kind from its parameters.
using RuleMaker = Rule (*)(ObjectParameters& parameters);

struct Kind {
  RuleMaker make;
  bool has_target;
};

class RuleScorer final : public Scorer {
 public:
  RuleScorer(ScorerColumns columns, bool has_target, Rule rule)
      : columns_(std::move(columns)), has_target_(has_target), rule_(std::move(rule)) {}

  Result<ScoreOutcome> score(const ScoredItem& item, const std::stop_token&) const override {
    Result<std::string> value = valueOf(item);
    if (!value) return ScoreOutcome{.exception = value.error().message()};
    return ScoreOutcome{.value = *std::move(value)};
  }

 private:
  Result<std::string> valueOf(const ScoredItem& item) const {
    const std::string output = TRY(columns_.output(item));
    const std::string target =
        TRY(has_target_ ? columns_.target(item) : Result<std::string>(std::string("null")));
    return rule_(output, target);
  }

  const ScorerColumns columns_;
  const bool has_target_;
  const Rule rule_;
};

// Values of scores.

struct PassedScore {
  bool passed = false;
  std::optional<std::string> error = {};
};
struct ToleranceScore {
  bool passed = false;
  std::optional<double> difference;
};
struct DistanceScore {
  double similarity = 0;
  std::int64_t distance = 0;
  std::optional<bool> passed = {};
};
struct WordScore {
  double f1 = 0;
  double precision = 0;
  double recall = 0;
  std::optional<bool> passed = {};
};

std::string scoreJson(const PassedScore& score) {
  static const Codec<PassedScore> codec =
      Record<PassedScore>("PassedScore")
          .required("passed", &PassedScore::passed, boolean())
          .required("error", &PassedScore::error, ifPresent(schema::string()))
          .codec();
  return codec.toJson(score);
}

std::string scoreJson(const ToleranceScore& score) {
  static const Codec<ToleranceScore> codec =
      Record<ToleranceScore>("ToleranceScore")
          .required("passed", &ToleranceScore::passed, boolean())
          .required("difference", &ToleranceScore::difference, schema::nullable(number()))
          .codec();
  return codec.toJson(score);
}

std::string scoreJson(const DistanceScore& score) {
  static const Codec<DistanceScore> codec =
      Record<DistanceScore>("DistanceScore")
          .required("similarity", &DistanceScore::similarity, number())
          .required("distance", &DistanceScore::distance, schema::integer())
          .required("passed", &DistanceScore::passed, ifPresent(boolean()))
          .codec();
  return codec.toJson(score);
}

std::string scoreJson(const WordScore& score) {
  static const Codec<WordScore> codec =
      Record<WordScore>("WordScore")
          .required("f1", &WordScore::f1, number())
          .required("precision", &WordScore::precision, number())
          .required("recall", &WordScore::recall, number())
          .required("passed", &WordScore::passed, ifPresent(boolean()))
          .codec();
  return codec.toJson(score);
}

std::string passedResult(bool passed) { return scoreJson(PassedScore{passed}); }

/// Options for comparing texts.
struct TextOptions {
  bool ignore_case = false;
  bool strip = false;

  std::string of(std::string_view json) const {
    std::string text = plainText(json);
    if (strip) text = stripped(text);
    return ignore_case ? lowerCase(text) : text;
  }
};

TextOptions textOptions(ObjectParameters& parameters) {
  return {parameters.flag("ignore_case", false), parameters.flag("strip", false)};
}

bool isText(std::string_view json) { return json.starts_with('"'); }

Rule exactMatch(ObjectParameters& parameters) {
  return [texts = textOptions(parameters)](const std::string& output,
                                           const std::string& target) -> Result<std::string> {
    // Models answer with texts: the text `42` matches the number 42.
    if (isText(output) || isText(target)) return passedResult(texts.of(output) == texts.of(target));
    const std::optional<double> number = numberIn(output);
    if (number) return passedResult(number == numberIn(target));
    return passedResult(objects::canonicalJson(output) == objects::canonicalJson(target));
  };
}

std::vector<std::string> itemsOf(const std::string& json) {
  const Document document = json::parseStored(json);
  std::vector<std::string> items;
  if (document.root().isArray()) {
    for (const Node& item : document.root()) items.emplace_back(item.raw());
  } else {
    items.push_back(json);
  }
  return items;
}

Rule contains(ObjectParameters& parameters) {
  const std::string match = parameters.text("match", "all");
  if (match != "all" && match != "any") parameters.refuse("'match' must be all or any");
  return [texts = textOptions(parameters), all = match == "all"](
             const std::string& output, const std::string& target) -> Result<std::string> {
    const std::string text = texts.of(output);
    const std::vector<std::string> wanted = itemsOf(target);
    std::size_t found = 0;
    for (const std::string& item : wanted) {
      if (text.find(texts.of(item)) != std::string::npos) ++found;
    }
    return passedResult(all ? found == wanted.size() : found > 0);
  };
}

Rule matchesPattern(ObjectParameters& parameters) {
  const std::string pattern = parameters.requiredText("pattern");
  const bool full = parameters.flag("full_match", false);
  RE2::Options options;
  options.set_case_sensitive(!parameters.flag("ignore_case", false));
  options.set_log_errors(false);
  // Copies of the rule share the expression, because RE2 cannot be copied.
  const auto expression = std::make_shared<const RE2>(pattern, options);
  if (!expression->ok()) parameters.refuse("'pattern' is not valid: " + expression->error());
  return [expression, full](const std::string& output, const std::string&) -> Result<std::string> {
    const std::string text = plainText(output);
    return passedResult(full ? RE2::FullMatch(text, *expression)
                             : RE2::PartialMatch(text, *expression));
  };
}

Rule fitsSchema(ObjectParameters& parameters) {
  const std::optional<std::string> schema = parameters.object("schema");
  if (!schema) parameters.refuse("'schema' is required");
  return [schema = schema.value_or("{}")](const std::string& output,
                                          const std::string&) -> Result<std::string> {
    // Models answer with texts: check the content of a text that is JSON.
    std::string value = isText(output) ? plainText(output) : output;
    const auto read = Document::parse(value, json::kStoredDepth);
    if (!std::holds_alternative<Document>(read))
      return scoreJson(PassedScore{false, "The output is not JSON"});
    const Result<void> fits = feedback::checkAgainstSchema(value, schema);
    if (!fits) return scoreJson(PassedScore{false, fits.error().message()});
    return passedResult(true);
  };
}

Rule withinTolerance(ObjectParameters& parameters) {
  const double absolute = parameters.number("absolute", 0);
  const double relative = parameters.number("relative", 0);
  if (absolute < 0) parameters.refuse("'absolute' must not be negative");
  if (relative < 0) parameters.refuse("'relative' must not be negative");
  return [absolute, relative](const std::string& output,
                              const std::string& target) -> Result<std::string> {
    const std::optional<double> wanted = numberIn(plainText(target));
    if (!wanted) return Error::invalidArgument("The target is not a number.");
    const std::optional<double> got = numberIn(plainText(output));
    if (!got) return scoreJson(ToleranceScore{});
    const double difference = std::abs(*got - *wanted);
    const double bound = std::max(absolute, relative * std::abs(*wanted));
    return scoreJson(ToleranceScore{difference <= bound, difference});
  };
}

Rule textDistance(ObjectParameters& parameters) {
  const std::optional<double> threshold = parameters.optionalNumber("threshold");
  return [texts = textOptions(parameters), threshold](
             const std::string& output, const std::string& target) -> Result<std::string> {
    const std::optional<TextDistance> found = distanceBetween(texts.of(output), texts.of(target));
    if (!found) {
      return Error::invalidArgument("Distances are computed for texts of at most " +
                                    std::to_string(kMaxDistanceLength) + " characters.");
    }
    return scoreJson(DistanceScore{.similarity = found->similarity,
                                   .distance = static_cast<std::int64_t>(found->distance),
                                   .passed = reaches(found->similarity, threshold)});
  };
}

/// Returns the number of times that each word of a text occurs. White space separates words.
std::map<std::string, std::size_t> wordsOf(const std::string& text) {
  std::map<std::string, std::size_t> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) ++words[word];
  return words;
}

std::size_t countOf(const std::map<std::string, std::size_t>& words) {
  std::size_t count = 0;
  for (const auto& [word, times] : words) count += times;
  return count;
}

Rule wordOverlap(ObjectParameters& parameters) {
  const std::optional<double> threshold = parameters.optionalNumber("threshold");
  return [texts = textOptions(parameters), threshold](
             const std::string& output, const std::string& target) -> Result<std::string> {
    const std::string output_text = texts.of(output);
    const std::string target_text = texts.of(target);
    if (std::max(output_text.size(), target_text.size()) > kMaxWordsLength) {
      return Error::invalidArgument("Words are compared in texts of at most " +
                                    std::to_string(kMaxWordsLength) + " bytes.");
    }
    const std::map<std::string, std::size_t> got = wordsOf(output_text);
    const std::map<std::string, std::size_t> wanted = wordsOf(target_text);
    std::size_t shared = 0;
    for (const auto& [word, times] : got) {
      const auto found = wanted.find(word);
      if (found != wanted.end()) shared += std::min(times, found->second);
    }
    const auto share = [shared](std::size_t of, std::size_t other) {
      if (of == 0) return other == 0 ? 1.0 : 0.0;
      return static_cast<double>(shared) / static_cast<double>(of);
    };
    const double precision = share(countOf(got), countOf(wanted));
    const double recall = share(countOf(wanted), countOf(got));
    const double sum = precision + recall;
    const double f1 = sum == 0 ? 0 : 2 * precision * recall / sum;
    return scoreJson(WordScore{
        .f1 = f1, .precision = precision, .recall = recall, .passed = reaches(f1, threshold)});
  };
}

const std::map<std::string_view, Kind>& kinds() {
  static const std::map<std::string_view, Kind> all = {
      {"exact_match", {exactMatch, true}},
      {"contains", {contains, true}},
      {"regex", {matchesPattern, false}},
      {"json_schema", {fitsSchema, false}},
      {"numeric_tolerance", {withinTolerance, true}},
      {"string_distance", {textDistance, true}},
      {"word_f1", {wordOverlap, true}},
  };
  return all;
}

}  // namespace

Result<std::unique_ptr<const Scorer>> makeScorer(std::string_view object,
                                                 const ScorerPorts& ports) {
  const Document document = json::parseStored(std::string(object));
  const Node root = document.root();
  const std::optional<Node> kind = root.isObject() ? root.find("kind") : std::nullopt;
  if (!kind || !kind->isString()) {
    return Error::invalidArgument(
        "it is not a built-in scorer: the server runs objects that have a 'kind'");
  }
  if (kind->textEquals(kJudgeKind)) return makeJudge(root, ports);
  const auto known = kinds().find(kind->text());
  if (known == kinds().end())
    return Error::invalidArgument("'" + kind->text() + "' is no kind of built-in scorer");
  ObjectParameters parameters(root);
  ScorerColumns columns(parameters);
  Rule rule = known->second.make(parameters);
  if (parameters.problem()) return *parameters.problem();
  return std::unique_ptr<const Scorer>(
      std::make_unique<RuleScorer>(std::move(columns), known->second.has_target, std::move(rule)));
}

}  // namespace spindle::evaluation
