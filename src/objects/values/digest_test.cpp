#include "objects/values/digest.h"

#include <gtest/gtest.h>

#include "objects/values/canonical_json.h"

namespace spindle::objects {
namespace {

TEST(CanonicalJson, MatchesTheReferenceImplementation) {
  EXPECT_EQ(canonicalJson(R"({"z":[1,2.0,1e-05,1e22,true,null,"é😀\"\\/\n"],"a":{"B":1,"a":-0.0}})"),
            R"({"a": {"B": 1, "a": -0.0}, "z": [1, 2.0, 1e-05, 1e+22, true, null, )"
            R"("\u00e9\ud83d\ude00\"\\/\n"]})");
}

TEST(CanonicalJson, KeepsIntegersOfAnySizeWithoutNegativeZero) {
  EXPECT_EQ(canonicalJson("[123456789012345678901234567890,-0,0,-7]"),
            "[123456789012345678901234567890, 0, 0, -7]");
}

TEST(CanonicalJson, WritesTheShortestDoubleInPythonsForm) {
  EXPECT_EQ(canonicalJson("[1.50,1E2,0.0001,0.00001,1e15,1e16,123456789.125,0.1]"),
            "[1.5, 100.0, 0.0001, 1e-05, 1000000000000000.0, 1e+16, 123456789.125, 0.1]");
  EXPECT_EQ(canonicalJson("[1e400,-1e400,1e-400]"), "[Infinity, -Infinity, 0.0]");
}

TEST(CanonicalJson, UsesTheLastDuplicateMember) {
  EXPECT_EQ(canonicalJson(R"({"b":1,"a":2,"b":{"c":3}})"), R"({"a": 2, "b": {"c": 3}})");
}

TEST(CanonicalJson, SortsNamesByCodePoint) {
  EXPECT_EQ(canonicalJson(R"({"é":1,"z":2,"Z":3,"\ud83d\ude00":4,"\uffff":5,"":6})"),
            R"({"": 6, "Z": 3, "z": 2, "\u00e9": 1, "\uffff": 5, "\ud83d\ude00": 4})");
}

TEST(CanonicalJson, EscapesControlCharactersButNotSlashes) {
  EXPECT_EQ(canonicalJson(R"("\u0000\u001f\b\f\r\t\u007f\/<")"),
            R"("\u0000\u001f\b\f\r\t\u007f/<")");
}

TEST(CanonicalJson, IgnoresWhiteSpaceAndWritesEmptyContainersLikePython) {
  EXPECT_EQ(canonicalJson(" { \"a\" : [ ] ,\n\"b\":{}} "), R"({"a": [], "b": {}})");
}

struct Vector {
  const char* json;
  const char* digest;
};

class PublishedVectors : public ::testing::TestWithParam<Vector> {};

TEST_P(PublishedVectors, HaveTheExpectedDigest) {
  EXPECT_EQ(valueDigest(GetParam().json).digest, GetParam().digest) << GetParam().json;
}

INSTANTIATE_TEST_SUITE_P(
    Digest,
    PublishedVectors,
    ::testing::Values(
        Vector{R"({"a":1})", "XdhgKMbg1k4iUYb5astpM4ssWXZN95FiEH9cS7NNExA"},
        Vector{R"({"a":2})", "5anVsDAOD1DTcuWp3fokIIqsmpQM6aNvJHOHIhriBf4"},
        Vector{R"("str")", "cklbDh88bJYfRtPySc6WisdYxDuI5Q0yqhOGgfijiAQ"},
        Vector{"5", "7y0SfeN7lCuq0GFF5UsMYZofIjJ7LrvPvsePVWSv450"},
        Vector{"1.5", "nymhMEOLgRcLkqQmUPmpQpHsrWC9R68qOIbnX39yhyU"},
        Vector{"[1,2]", "OjFtbTImXEweRuREf6jVYYALY0obxkmBUlI81KYCtps"},
        Vector{"null", "dCNOmKYnSYX12vHzasLXiswzlGT5UHA7jAGYkvmCuQs"},
        Vector{"true", "tb6kG2xiP3wJ8b8k3K5Y66s8DN2QrZZrxDpFtEhn4Ss"},
        Vector{R"({"z":[1,2.0,1e-05,1e22,true,null,"é😀\"\\/\n"],"a":{"B":1,"a":-0.0}})",
               "u8OhNs6Qy8AS1NcJX7zLjHBoH7cAXLR6Jtg1b8fYEOI"},
        Vector{R"({"id":1,"value":2})", "mriP98RC2VPGkzk0QeZZ2hq4pUA8fQnhNlsivPxyYYA"},
        Vector{R"({"id":2,"value":3})", "DT31YGNzrm7UClL9NXjXYHGXBhYZJsh4Ct9jjBWY74s"},
        Vector{R"({"value":4,"id":3})", "1dMFHVoxulzjLOSTzDQMrTQ5ckPCI3aF2487OjvmxJI"}));

TEST(Digest, TableDigestDependsOnRowDigests) {
  EXPECT_EQ(tableDigest({"mriP98RC2VPGkzk0QeZZ2hq4pUA8fQnhNlsivPxyYYA",
                         "DT31YGNzrm7UClL9NXjXYHGXBhYZJsh4Ct9jjBWY74s",
                         "1dMFHVoxulzjLOSTzDQMrTQ5ckPCI3aF2487OjvmxJI"}),
            "03b86e8588d298a1814945664597d94281cb0dbca3b4ff8b0fcff30a6305d33e");
  EXPECT_EQ(tableDigest({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Digest, FileDigestDependsOnItsBytes) {
  EXPECT_EQ(contentDigest("hello"), "LPJNulXwow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ");
  EXPECT_EQ(contentDigest(""), "47DEQpj8HBSaXYTImWX5JCeuQeRkm5NMpJWZG3hSuFU");
}

TEST(Digest, ReturnsTheSizeOfTheCanonicalForm) {
  EXPECT_EQ(valueDigest(R"({"b":1,"a":"é"})").size,
            std::string(R"({"a": "\u00e9", "b": 1})").size());
}

}  // namespace
}  // namespace spindle::objects
