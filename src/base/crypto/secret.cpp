#include "base/crypto/secret.h"

#include <ostream>

#include <openssl/crypto.h>

namespace spindle {

Secret::~Secret() { OPENSSL_cleanse(value_.data(), value_.size()); }

std::ostream& operator<<(std::ostream& out, const Secret& /*secret*/) { return out << "***"; }

}  // namespace spindle
