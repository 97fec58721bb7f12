#include "storage/blobs/blob_copy.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"
#include "storage/blobs/folder_blob_store.h"

namespace spindle::storage {
namespace {

class BlobCopyTest : public ::testing::Test {
 protected:
  std::vector<Sha256> fill(int count) {
    std::vector<Sha256> names;
    for (int i = 0; i < count; ++i) {
      names.push_back(*from_.put("content " + std::to_string(i) + std::string(1000, 'x')));
    }
    names.push_back(*from_.put(""));
    names.push_back(*from_.put(std::string(3UL << 20, 'y')));
    std::sort(names.begin(), names.end());
    return names;
  }
  Result<void> copy(const std::vector<Sha256>& names) {
    return copyBlobs(from_, to_, names, 3, [this](std::int64_t blobs, std::int64_t bytes) {
      blobs_ += blobs;
      bytes_ += bytes;
    });
  }
  std::vector<Sha256> check(const std::vector<Sha256>& names) {
    return *checkBlobs(to_, names, 3, [](std::int64_t, std::int64_t) {});
  }
  static void overwrite(const std::string& folder, const Sha256& name, const std::string& bytes) {
    const std::string digits = toHex(name);
    std::ofstream(folder + "/" + digits.substr(0, 2) + "/" + digits.substr(2)) << bytes;
  }

  FolderForTest folder_;
  const std::string from_path_ = folder_.path() + "/from";
  const std::string to_path_ = folder_.path() + "/to";
  FolderBlobStore from_{from_path_};
  FolderBlobStore to_{to_path_};
  std::int64_t blobs_ = 0;
  std::int64_t bytes_ = 0;
};

TEST_F(BlobCopyTest, CopiesAllBlobs) {
  const std::vector<Sha256> names = fill(50);
  EXPECT_EQ(*listBlobs(from_), names);
  ASSERT_TRUE(copy(names));
  EXPECT_EQ(blobs_, 52);
  EXPECT_GT(bytes_, 3 << 20);
  EXPECT_EQ(*listBlobs(to_), names);
  EXPECT_TRUE(check(names).empty());
}

TEST_F(BlobCopyTest, AnEmptyStoreIsCopied) {
  EXPECT_TRUE(copy({}));
  EXPECT_TRUE(check({}).empty());
}

TEST_F(BlobCopyTest, PresentBlobsAreNotWrittenAgain) {
  const std::vector<Sha256> names = fill(3);
  ASSERT_TRUE(copy(names));
  std::filesystem::remove_all(from_path_);
  EXPECT_TRUE(copy(names));
}

TEST_F(BlobCopyTest, DamagedContentOfTheSourceIsNotCopied) {
  const std::vector<Sha256> names = fill(3);
  overwrite(from_path_, names[1], "damaged");
  ASSERT_TRUE(from_.erase(names[3]));
  ASSERT_TRUE(copy(names));
  EXPECT_EQ(check(names), (std::vector<Sha256>{names[1], names[3]}));
}

TEST_F(BlobCopyTest, CheckFindsMissingAndDamagedBlobs) {
  const std::vector<Sha256> names = fill(5);
  ASSERT_TRUE(copy(names));
  overwrite(to_path_, names[2], "damaged");
  ASSERT_TRUE(to_.erase(names[4]));
  EXPECT_EQ(check(names), (std::vector<Sha256>{names[2], names[4]}));
}

}  // namespace
}  // namespace spindle::storage
