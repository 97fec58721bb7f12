#include "base/crypto/md5.h"

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"

namespace spindle {
namespace {

TEST(Md5, MatchesTheTestVectorsOfTheRfc) {
  EXPECT_EQ(toHex(bytesOf(md5(""))), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(toHex(bytesOf(md5("abc"))), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(toHex(bytesOf(md5("abcdefghijklmnopqrstuvwxyz"))), "c3fcd3d76192e4007dfb496cca67e13b");
}

TEST(Md5, IncrementalHashMatchesAKnownDigest) {
  Md5Stream stream;
  stream.add("hel");
  stream.add("");
  stream.add("lo\n");
  EXPECT_EQ(encodeBase64(bytesOf(stream.finish())), "sZRqySSS0jR8YjW00mERhA==");
}

}  // namespace
}  // namespace spindle
