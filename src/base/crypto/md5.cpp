#include "base/crypto/md5.h"

namespace spindle {

Md5 md5(std::string_view data) {
  Md5Stream stream;
  stream.add(data);
  return stream.finish();
}

}  // namespace spindle
