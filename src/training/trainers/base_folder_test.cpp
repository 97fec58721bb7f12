#include "training/trainers/base_folder.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"

namespace spindle::training {
namespace {

class BaseFolder : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text = "{}") {
    std::ofstream(folder_.path() + "/" + name) << text;
  }
  std::string names() {
    const Result<FolderListing> listing = listBaseFolder(folder_.path());
    if (!listing) return listing.error().message();
    std::string all;
    for (const FolderFile& file : listing->files) all += file.name + " ";
    return all;
  }

  FolderForTest folder_;
};

TEST_F(BaseFolder, ListsModelFilesOnly) {
  for (const char* name :
       {"config.json", "model-00001-of-00002.safetensors", "tokenizer.json", "merges.txt",
        "chat_template.jinja", "tokenizer.model", "pytorch_model.bin", "optimizer.pt",
        ".hidden.json", "run.py", "README.md"}) {
    write(name);
  }
  std::filesystem::create_directory(folder_.path() + "/folder.json");
  EXPECT_EQ(names(),
            "chat_template.jinja config.json merges.txt model-00001-of-00002.safetensors "
            "tokenizer.json tokenizer.model ");
}

TEST_F(BaseFolder, ListsFilesBehindLinks) {
  write("config.json");
  write("blob", "12345");
  std::filesystem::create_symlink(folder_.path() + "/blob", folder_.path() + "/model.safetensors");
  const Result<FolderListing> listing = listBaseFolder(folder_.path());
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->files.size(), 2U);
  EXPECT_EQ(listing->files[1].size, 5);
}

TEST_F(BaseFolder, HasARevisionThatChangesWithTheFiles) {
  write("config.json");
  const std::string first = listBaseFolder(folder_.path())->revision;
  EXPECT_EQ(first.size(), 16U);
  EXPECT_EQ(listBaseFolder(folder_.path())->revision, first);
  write("model.safetensors", "weights");
  EXPECT_NE(listBaseFolder(folder_.path())->revision, first);
}

TEST_F(BaseFolder, IsRefusedWithoutAConfiguration) {
  write("model.safetensors");
  EXPECT_EQ(names(), "The folder of the base model cannot be read.");
  EXPECT_FALSE(listBaseFolder(folder_.path() + "/none"));
}

TEST(BaseFolderFile, IsNoPath) {
  for (const char* bad : {"", "..", ".json", "a/b.json", "../config.json", "a b.json", "x.pt"}) {
    EXPECT_FALSE(isBaseFolderFile(bad)) << bad;
  }
  EXPECT_TRUE(isBaseFolderFile("model-00001-of-00002.safetensors"));
}

}  // namespace
}  // namespace spindle::training
