#pragma once

#include <string>

#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::objects {

/// One field to sort a list by.
struct SortBody {
  std::string field;
  std::string direction;

  bool descending() const { return direction == "desc"; }
};

inline schema::Codec<SortBody> sortCodec() {
  return schema::Record<SortBody>("ListSort")
      .required("field", &SortBody::field, schema::string(), "What to sort by.")
      .required("direction", &SortBody::direction, schema::literal({"asc", "desc"}), "")
      .codec();
}

}  // namespace spindle::objects
