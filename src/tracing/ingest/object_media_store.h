#pragma once

#include <string>
#include <string_view>

#include "tracing/ingest/stored_payload.h"
#include "wire/spelling.h"

namespace spindle::objects {
class FileRepository;
class ObjectRepository;
}  // namespace spindle::objects

namespace spindle::tracing {

/// Stores media as two files, the content and a description, and an object that refers to them.
/// SDKs read it back as content. For one caller and project.
class ObjectMediaStore final : public MediaStore {
 public:
  struct Owner {
    std::string project_id;
    std::string user_id;
    wire::Spelling spelling = wire::Spelling::kNeutral;  ///< spelling of the object's own members
  };

  /// The repositories must outlive this object.
  ObjectMediaStore(objects::FileRepository& files, objects::ObjectRepository& objects, Owner owner)
      : files_(files), objects_(objects), owner_(std::move(owner)) {}

  Result<std::string> keep(std::string_view bytes, std::string_view media_type) override;

 private:
  objects::FileRepository& files_;
  objects::ObjectRepository& objects_;
  const Owner owner_;
};

}  // namespace spindle::tracing
