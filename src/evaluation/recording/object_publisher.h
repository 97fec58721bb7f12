#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "json/writer.h"
#include "objects/values/ref_conversion.h"
#include "wire/spelling.h"

namespace spindle::objects {
class FileRepository;
class ObjectRepository;
class TableRepository;
}  // namespace spindle::objects

namespace spindle::evaluation {

/// The project and the user of a publication.
struct PublishContext {
  std::string project_id;  ///< internal
  std::string user_id;
  objects::RefProjects& projects;  ///< the projects that the user can read
  wire::Spelling spelling = wire::Spelling::kNeutral;
};

/// An op. Without source code, a placeholder is stored.
struct NewOp {
  std::optional<std::string> name;
  std::optional<std::string> source_code;
};
struct NewDataset {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::vector<json::Text> rows;  ///< JSON objects
};
struct NewScorer {
  std::string name;
  std::optional<std::string> description;
  std::string source_code;
};
struct NewEvaluation {
  std::string name;
  std::optional<std::string> description;
  std::string dataset;                              ///< a reference
  std::optional<std::vector<std::string>> scorers;  ///< references
  std::int64_t trials = 1;
  std::optional<std::string> evaluation_name;
  std::optional<json::Text> attributes;  ///< a JSON object
};
struct NewModel {
  std::string name;
  std::optional<std::string> description;
  std::string source_code;
  std::optional<json::Text> attributes;  ///< a JSON object
};

/// A published version.
struct PublishedObject {
  std::string object_id;
  std::string digest;
  std::int64_t version_index = 0;
};

/// Publishes the parts of evaluations as ordinary objects (tracing.md §6.1). Thread-safe; blocks on
/// the database and the disk. All functions return kUnprocessable for a name that does not give a
/// valid id, kInvalidArgument for a malformed reference or a name that another kind of object has,
/// kStorageFull, kUnavailable.
class ObjectPublisher {
 public:
  /// All arguments must outlive this object.
  ObjectPublisher(objects::ObjectRepository& objects,
                  objects::TableRepository& tables,
                  objects::FileRepository& files)
      : objects_(objects), tables_(tables), files_(files) {}

  Result<PublishedObject> publish(const PublishContext& by, const NewOp& op) const;
  Result<PublishedObject> publish(const PublishContext& by, const NewDataset& dataset) const;
  Result<PublishedObject> publish(const PublishContext& by, const NewScorer& scorer) const;
  Result<PublishedObject> publish(const PublishContext& by, const NewEvaluation& evaluation) const;
  Result<PublishedObject> publish(const PublishContext& by, const NewModel& model) const;

  /// Returns the source code of an op or a model with this value; empty if it has none.
  Result<std::string> sourceOf(std::string_view project_id, std::string_view value) const;

 private:
  Result<PublishedObject> publishOpAs(const PublishContext& by,
                                      const std::string& object_id,
                                      const std::optional<std::string>& source_code) const;
  Result<std::string> storeSource(const PublishContext& by, std::string_view source_code) const;
  Result<PublishedObject> store(const PublishContext& by,
                                const std::string& object_id,
                                std::string value) const;

  objects::ObjectRepository& objects_;
  objects::TableRepository& tables_;
  objects::FileRepository& files_;
};

}  // namespace spindle::evaluation
