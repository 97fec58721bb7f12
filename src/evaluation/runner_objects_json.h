#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evaluation/model_spec_json.h"
#include "evaluation/scorer.h"
#include "objects/ref_conversion.h"

namespace spindle::objects {
class ObjectRepository;
class TableRepository;
}  // namespace spindle::objects

namespace spindle::evaluation {

/// Where the objects of evaluations are. Everything must outlive the readers and is thread-safe.
struct ObjectPorts {
  objects::ObjectRepository& objects;
  objects::TableRepository& tables;
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
};

/// One version of an object.
struct PinnedObject {
  std::string ref;  ///< internal, neutral, its version a digest
  std::string name;
  std::string value;  ///< JSON with internal references
};

struct Dataset {
  std::string ref;
  std::string project_id;
  std::string table_digest;
};

/// What an evaluation consists of.
struct EvaluationSpec {
  std::string dataset;               ///< a reference
  std::vector<std::string> scorers;  ///< references
  std::int64_t trials = 1;
};

struct NamedScorer {
  std::string ref;
  std::string name;
  std::unique_ptr<const Scorer> scorer;
};

/// Reads the objects that an evaluation is made of as one user may: what that user cannot read is
/// not there. One thread at a time; blocks on the database, and may return kUnavailable.
/// References are taken in their external and internal forms.
class EvaluationObjects {
 public:
  EvaluationObjects(const ObjectPorts& ports, std::string_view user_id)
      : ports_(ports), projects_(ports.ref_projects(user_id)) {}

  /// @return kInvalidArgument for what is no reference to an object, kNotFound.
  Result<PinnedObject> pin(std::string_view ref);

  /// @return also kInvalidArgument for an object that is no evaluation.
  Result<EvaluationSpec> evaluation(std::string_view ref);
  /// @return also kInvalidArgument for an object without a table of rows.
  Result<Dataset> dataset(std::string_view ref);
  /// @return also kInvalidArgument for a model that the server cannot ask.
  Result<ModelSpec> model(std::string_view ref);
  /// @return also kInvalidArgument for a scorer that the server cannot run, and for two of a name.
  Result<std::vector<NamedScorer>> scorers(const std::vector<std::string>& refs,
                                           const ScorerPorts& scorer_ports);

  /// How many rows a dataset has.
  Result<std::int64_t> rowCount(const Dataset& dataset);

  /// What examples stand for, in order: references to rows are read, the rest is as it was. An
  /// example that cannot be read is null. All are JSON texts.
  Result<std::vector<std::string>> resolve(const std::vector<std::string>& examples);

 private:
  /// The same in its internal form, of a project that the user can read.
  Result<std::string> internal(std::string_view ref);

  const ObjectPorts& ports_;
  std::unique_ptr<objects::RefProjects> projects_;
};

/// The reference to a row of a dataset.
std::string rowRef(const Dataset& dataset, std::string_view row_digest);

}  // namespace spindle::evaluation
