#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "schema/record.h"

namespace spindle::objects {

/// A request or response that is an object with one member.
template <class T>
struct Only {
  T value{};
};

/// Returns the codec of an object with one member, which is required.
template <class T>
schema::Codec<Only<T>> only(std::string record,
                            std::string_view member,
                            const schema::Codec<T>& codec,
                            std::string_view doc = "") {
  return schema::Record<Only<T>>(std::move(record))
      .required(member, &Only<T>::value, codec, doc)
      .codec();
}

}  // namespace spindle::objects
