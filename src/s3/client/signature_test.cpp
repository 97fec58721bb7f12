#include "s3/client/signature.h"

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"

namespace spindle::s3 {
namespace {

// The keys, requests and signatures of the examples in Amazon's documentation of the algorithm.
Credentials exampleCredentials() {
  Credentials credentials;
  credentials.access_key_id = "AKIAIOSFODNN7EXAMPLE";
  credentials.secret_access_key = Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
  return credentials;
}

Timestamp exampleTime() { return *parseTimestamp("2013-05-24T00:00:00.9Z").value; }

SignedRequest exampleRequest(std::string_view method, std::string path, std::string_view body) {
  SignedRequest request;
  request.method = method;
  request.host = "examplebucket.s3.amazonaws.com";
  request.path = std::move(path);
  request.payload_hash = toHex(sha256(body));
  request.headers = {{"x-amz-date", "20130524T000000Z"},
                     {"x-amz-content-sha256", request.payload_hash}};
  return request;
}

std::string authorize(const SignedRequest& request) {
  return authorization(request, exampleCredentials(), "us-east-1", exampleTime());
}

TEST(Signature, CoversARange) {
  SignedRequest request = exampleRequest("GET", "/test.txt", "");
  request.headers.emplace_back("range", "bytes=0-9");
  EXPECT_EQ(authorize(request),
            "AWS4-HMAC-SHA256 "
            "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(Signature, CoversABodyAndAnEncodedPath) {
  SignedRequest request = exampleRequest("PUT", "/test%24file.text", "Welcome to Amazon S3.");
  request.headers.emplace_back("date", "Fri, 24 May 2013 00:00:00 GMT");
  request.headers.emplace_back("x-amz-storage-class", "REDUCED_REDUNDANCY");
  EXPECT_TRUE(authorize(request).ends_with(
      "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(Signature, CoversParameters) {
  SignedRequest lifecycle = exampleRequest("GET", "/", "");
  lifecycle.query = {{"lifecycle", ""}};
  EXPECT_TRUE(authorize(lifecycle).ends_with(
      "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
  SignedRequest list = exampleRequest("GET", "/", "");
  list.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_TRUE(authorize(list).ends_with(
      "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(Signature, OfAUrl) {
  SignedRequest request;
  request.method = "GET";
  request.host = "examplebucket.s3.amazonaws.com";
  request.path = "/test.txt";
  EXPECT_EQ(presignedQuery(request, exampleCredentials(), "us-east-1", exampleTime(),
                           std::chrono::seconds(86400)),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F"
            "us-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&"
            "X-Amz-SignedHeaders=host&X-Amz-Signature="
            "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(Signature, SortsAndEncodesTheQuery) {
  EXPECT_EQ(canonicalQuery({{"b", "x y"}, {"a", "/"}, {"uploads", ""}}), "a=%2F&b=x%20y&uploads=");
}

}  // namespace
}  // namespace spindle::s3
