#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "evaluation/scoring/model_spec.h"
#include "evaluation/scoring/scorer.h"
#include "objects/values/ref_conversion.h"

namespace spindle::objects {
class ObjectRepository;
class TableRepository;
}  // namespace spindle::objects

namespace spindle::evaluation {

/// The dependencies of EvaluationObjects. All of them must outlive it and be thread-safe.
struct ObjectPorts {
  objects::ObjectRepository& objects;
  objects::TableRepository& tables;
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
};

/// One version of an object.
struct PinnedObject {
  std::string ref;  ///< internal and neutral; its version is a digest
  std::string name;
  std::string value;  ///< JSON with internal references
};

struct Dataset {
  std::string ref;
  std::string project_id;
  std::string table_digest;
};

/// A parsed evaluation object.
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

/// Reads the objects of an evaluation with the permissions of one user: an object that the user
/// cannot read is kNotFound. Accepts external and internal references. Not thread-safe; blocks on
/// the database, and can return kUnavailable.
class EvaluationObjects {
 public:
  EvaluationObjects(const ObjectPorts& ports, std::string_view user_id)
      : ports_(ports), projects_(ports.ref_projects(user_id)) {}

  /// Resolves a reference to one version. @return kInvalidArgument for a text that is not a
  /// reference to an object, kNotFound.
  Result<PinnedObject> pin(std::string_view ref);

  /// @return also kInvalidArgument for an object that is not an evaluation.
  Result<EvaluationSpec> evaluation(std::string_view ref);
  /// @return also kInvalidArgument for an object without a table of rows.
  Result<Dataset> dataset(std::string_view ref);
  /// @return also kInvalidArgument for a model that the server cannot evaluate.
  Result<ModelSpec> model(std::string_view ref);
  /// @return also kInvalidArgument for a scorer that the server cannot run, and for two scorers
  /// with the same name.
  Result<std::vector<NamedScorer>> scorers(const std::vector<std::string>& refs,
                                           const ScorerPorts& scorer_ports);

  /// Returns the number of rows of a dataset.
  Result<std::int64_t> rowCount(const Dataset& dataset);

  /// Resolves examples, in order: references to rows become their values, other examples stay
  /// unchanged. A reference that cannot be resolved becomes null. All are JSON texts.
  Result<std::vector<std::string>> resolve(const std::vector<std::string>& examples);

 private:
  /// Converts a reference to its internal form. @return kNotFound unless the user can read the
  /// project.
  Result<std::string> internal(std::string_view ref);

  const ObjectPorts& ports_;
  std::unique_ptr<objects::RefProjects> projects_;
};

/// Returns the reference to a row of a dataset.
std::string rowRef(const Dataset& dataset, std::string_view row_digest);

}  // namespace spindle::evaluation
