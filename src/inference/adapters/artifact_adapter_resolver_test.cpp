#include "inference/adapters/artifact_adapter_resolver.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "identity/access/access.h"
#include "inference/adapters/adapter_metadata.h"
#include "inference/adapters/adapter_quarantine_repository.h"
#include "inference/adapters/adapters_for_test.h"
#include "inference/catalogue/catalogue_repository.h"
#include "inference/catalogue/model_for_test.h"
#include "inference/model_files/model_files.h"
#include "registry/repositories/registry_access.h"
#include "weights/adapters/adapter_folder_for_test.h"
#include "weights/formats/gguf_file.h"
#include "weights/formats/gguf_writer.h"
#include "weights/formats/number_format.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::inference {
namespace {

using registry::NewVersion;
using registry::Version;

std::string bytesAt(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class Adapters : public AdapterContract {
 protected:
  void SetUp() override {
    AdapterContract::SetUp();
    EXPECT_TRUE(weights::importHfFolder(
        {.folder = base_.path(), .file = base_.file("base.gguf"), .name = "b", .type = {}}));
    serve("base", base_.file("base.gguf"));
  }
  /// Serves a file of the blob store.
  void serveStored(const std::string& name, const std::string& bytes) {
    const std::unique_ptr<ModelFileReceiver> receiver = *model_files_.receive({});
    EXPECT_TRUE(receiver->add(bytes));
    Model model;
    model.name = name;
    model.stored = *receiver->finish();
    EXPECT_TRUE(catalogue_.insertModel(model));
    EXPECT_TRUE(models_.refresh());
  }
  void serve(const std::string& name, const std::string& file) {
    Model model;
    model.name = name;
    model.file = file;
    EXPECT_TRUE(catalogue_.insertModel(model));
    EXPECT_TRUE(models_.refresh());
  }
  /// Returns an adapter for the base model whose numbers encode a text.
  std::string adapterHolding(const std::string& text) const {
    std::vector<float> numbers(32UL * 2);
    for (std::size_t i = 0; i < text.size(); ++i) numbers[i] = static_cast<float>(text[i]);
    weights::GgufWriter writer;
    writer.addText("general.type", "adapter");
    writer.addText("general.architecture", "llama");
    writer.addText("adapter.type", "lora");
    writer.addF32("adapter.lora.alpha", 4);
    for (const auto& [end, shape] : {std::pair(".lora_a", std::vector<std::uint64_t>{2, 32}),
                                     std::pair(".lora_b", std::vector<std::uint64_t>{32, 2})}) {
      writer.addTensor({std::string("blk.0.attn_q.weight") + end, shape, weights::TensorType::kF32},
                       [bytes = weights::encoded(weights::TensorType::kF32, numbers)](
                           const weights::ByteSink& sink) { return sink(bytes); });
    }
    EXPECT_TRUE(writer.writeTo(files_.at("written.gguf")));
    return bytesAt(files_.at("written.gguf"));
  }
  /// Returns the text that the numbers of an adapter file encode.
  static std::string heldBy(const std::string& path) {
    const Result<weights::GgufFile> file = weights::GgufFile::open(path);
    if (!file) return file.error().message();
    std::string text;
    for (const float number : weights::floatsOf(weights::TensorType::kF32,
                                                file->find("blk.0.attn_q.weight.lora_a")->data)) {
      if (number != 0) text += static_cast<char>(number);
    }
    return text;
  }
  /// Commits a version of a collection of adapters; `text` distinguishes the contents.
  Version checkpoint(const std::vector<std::string>& aliases,
                     const std::string& text,
                     const std::string& metadata = R"({"base_model":"base"})",
                     const std::string& name = "agent",
                     const std::string& path = "adapter.gguf",
                     const std::string& type = "lora") {
    clock_.advance(std::chrono::seconds(1));
    const std::string bytes = path == "adapter.gguf" ? adapterHolding(text) : text;
    return committed(NewVersion{.collection = name,
                                .type = type,
                                .manifest = {file(path, bytes)},
                                .metadata = metadata,
                                .aliases = aliases},
                     bytes);
  }
  Result<ResolvedAdapter> resolve(const std::string& text) {
    return adapters_.resolve(user_.id, text);
  }
  /// Returns the text in the adapter that a name resolves to; `-` if there is no adapter.
  std::string content(const std::string& text) {
    const Result<ResolvedAdapter> found = resolve(text);
    if (!found) return found.error().message();
    EXPECT_EQ(found->base_model, "base");
    return found->adapter ? heldBy(found->adapter->path) : "-";
  }

  identity::Access access_{access_facts_, projects_};
  registry::RegistryAccess registry_access_{registries_};
  CatalogueRepository catalogue_{*database_, clock_, sha256("key")};
  CatalogueCache models_{catalogue_};
  AdapterQuarantineRepository quarantine_{*database_, clock_};
  weights::HfFolderForTest base_{weights::HfFolderForTest::Model{}};
  TestFolder files_;
  storage::FileCache cache_{files_.at("adapters"), ".gguf", 1UL << 20};
  ModelFiles model_files_{store_,
                          {.folder = files_.at("models"),
                           .header_folder = files_.at("headers"),
                           .most_received = 1UL << 30}};
  ArtifactAdapterResolver adapters_{{access_, registry_access_, collections_, versions_, blobs_,
                                     models_, quarantine_, model_files_},
                                    cache_};
};

TEST_P(Adapters, OfAModelInTheBlobStoreNeedOnlyItsHeader) {
  serveStored("stored", bytesAt(base_.file("base.gguf")));
  checkpoint({"step1"}, "one", R"({"base_model":"stored"})");
  const Result<ResolvedAdapter> found = resolve("svc-artifact:///team/project/agent");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->base_model, "stored");
  EXPECT_EQ(heldBy(found->adapter->path), "one");
  EXPECT_TRUE(std::filesystem::is_empty(files_.at("models"))) << "the whole file was fetched";
}

TEST_P(Adapters, ResolveEveryFormOfTheirName) {
  const Version first = checkpoint({"step1"}, "one");
  checkpoint({"step2", "prod"}, "two");
  checkpoint({"step10"}, "ten");
  const std::string agent = "svc-artifact:///team/project/agent";
  EXPECT_EQ(content(agent + ":step1"), "one");
  EXPECT_EQ(content(agent + ":v1"), "two");
  EXPECT_EQ(content(agent + ":prod"), "two");
  EXPECT_EQ(content(agent + ":latest"), "ten");
  EXPECT_EQ(content(agent), "ten");
  EXPECT_EQ(content("svc-artifact://team/project/agent:step2"), "two");
  EXPECT_EQ(content(registry::artifactUri(first.id)), "one");
}

TEST_P(Adapters, WithoutAVersionResolveToTheHighestStep) {
  checkpoint({"step10"}, "ten");
  checkpoint({"step9", "step-by-step", "stepladder"}, "nine");
  EXPECT_EQ(content("svc-artifact:///team/project/agent"), "ten");
  EXPECT_EQ(content("svc-artifact:///team/project/agent:latest"), "nine");
}

TEST_P(Adapters, WithoutStepsResolveToTheNewestVersion) {
  checkpoint({}, "old");
  checkpoint({}, "new");
  EXPECT_EQ(content("svc-artifact:///team/project/agent"), "new");
}

TEST_P(Adapters, ShareOneFileForTheSameContent) {
  checkpoint({"step1"}, "same");
  checkpoint({"step1"}, "same", R"({"base_model":"base"})", "another");
  const Result<ResolvedAdapter> first = resolve("svc-artifact:///team/project/agent");
  const Result<ResolvedAdapter> second = resolve("svc-artifact:///team/project/another");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->adapter->path, second->adapter->path);
  EXPECT_EQ(first->team_id, team_.id);
  EXPECT_EQ(first->project_id, place_.project_id);
  for (const char c : first->adapter->name) EXPECT_TRUE(std::isxdigit(c)) << c;
}

TEST_P(Adapters, AreNotFoundWithoutReadAccess) {
  checkpoint({"step1"}, "one");
  const identity::User stranger = person("eve");
  const Result<ResolvedAdapter> missing = resolve("svc-artifact:///team/project/nothing:v0");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().reason(), "model_not_found");
  for (const char* text :
       {"svc-artifact:///team/project/agent", "svc-artifact:///team/project/agent:step1",
        "svc-artifact:///team/project/nothing", "svc-artifact:///team/nothing/agent",
        "svc-artifact:///nothing/project/agent",
        "svc-artifact:///organization/svc-registry-nothing/agent"}) {
    const Result<ResolvedAdapter> hidden = adapters_.resolve(stranger.id, text);
    ASSERT_FALSE(hidden) << text;
    EXPECT_EQ(hidden.error().code(), ErrorCode::kNotFound) << text;
    EXPECT_EQ(hidden.error().message(), missing.error().message()) << text;
  }
  const Version version = checkpoint({"step2"}, "two");
  EXPECT_EQ(adapters_.resolve(stranger.id, registry::artifactUri(version.id)).error().message(),
            missing.error().message());
  EXPECT_EQ(resolve("svc-artifact:///team/project/agent:step3").error().message(),
            missing.error().message());
}

TEST_P(Adapters, NeedABaseModelOfTheCatalogue) {
  const std::string agent = "svc-artifact:///team/project/agent:";
  checkpoint({"none"}, "a", "{}");
  checkpoint({"other"}, "b", R"({"base_model":"Base"})");
  checkpoint({"number"}, "c", R"({"base_model":7})");
  for (const auto& [alias, message] :
       {std::pair("none", "its metadata contain no base_model"),
        std::pair("other", "its base model Base is not in the catalogue"),
        std::pair("number", "its metadata contain no base_model")}) {
    const Result<ResolvedAdapter> found = resolve(agent + alias);
    ASSERT_FALSE(found) << alias;
    EXPECT_EQ(found.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(found.error().message(),
              "This artifact cannot be used as a model: " + std::string(message) + ".");
  }
}

TEST_P(Adapters, MustHaveTheTypeLora) {
  checkpoint({}, "a", R"({"base_model":"base"})", "data", "adapter.gguf", "dataset");
  EXPECT_EQ(content("svc-artifact:///team/project/data"),
            "This artifact cannot be used as a model: it is of type dataset, not lora.");
}

TEST_P(Adapters, WithoutAnEffectResolveToTheBaseModel) {
  checkpoint({"step0"}, "", R"({"base_model":"base"})", "agent", "README.md");
  EXPECT_EQ(content("svc-artifact:///team/project/agent:v0"), "-");
  checkpoint({"step1"}, "zeros", R"({"base_model":"base","identity":true})");
  EXPECT_EQ(content("svc-artifact:///team/project/agent:v1"), "-");
  checkpoint({"step2"}, "text", R"({"base_model":"base"})", "agent", "README.md");
  EXPECT_EQ(content("svc-artifact:///team/project/agent:v2"),
            "This artifact cannot be used as a model: it contains neither adapter.gguf nor "
            "adapter_config.json and adapter_model.safetensors.");
  checkpoint({"step3"}, "{}", R"({"base_model":"base"})", "agent", "adapter_config.json");
  EXPECT_EQ(content("svc-artifact:///team/project/agent:v3"),
            "This artifact cannot be used as a model: adapter_config.json or "
            "adapter_model.safetensors is missing.");
}

TEST_P(Adapters, ResolveThroughRegistries) {
  const Version version = checkpoint({"step1"}, "one");
  const registry::Place models = registry("models");
  linked(models, "agents", version.id, {"prod"});
  EXPECT_EQ(content("svc-artifact:///organization/svc-registry-models/agents:prod"), "one");
}

TEST_P(Adapters, OfPeftAreConvertedToGguf) {
  weights::HfFolderForTest base{weights::HfFolderForTest::Model{}};
  ASSERT_TRUE(weights::importHfFolder(
      {.folder = base.path(), .file = base.file("base.gguf"), .name = "b", .type = {}}));
  serve("tiny", base.file("base.gguf"));
  weights::AdapterFolderForTest adapter(base);
  adapter.add("model.layers.0.self_attn.q_proj", 4);
  adapter.write(R"("peft_type":"LORA","r":4,"lora_alpha":8,"target_modules":["q_proj"])");
  const std::string config = bytesAt(adapter.path() + "/adapter_config.json");
  const std::string numbers = bytesAt(adapter.path() + "/adapter_model.safetensors");
  const NewVersion fresh{
      .collection = "agent",
      .type = "lora",
      .manifest = {file("adapter_config.json", config), file("adapter_model.safetensors", numbers)},
      .metadata = R"({"base_model":"tiny"})"};
  const auto begun = begin(fresh);
  ASSERT_TRUE(upload(begun.version.id, config));
  ASSERT_TRUE(upload(begun.version.id, numbers));
  ASSERT_TRUE(versions_.commit(place_, actor_, "agent", begun.version.id));
  const Result<ResolvedAdapter> found = resolve("svc-artifact:///team/project/agent");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->base_model, "tiny");
  const Result<weights::GgufFile> made = weights::GgufFile::open(found->adapter->path);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->text("adapter.type"), "lora");
  const std::filesystem::directory_iterator left(files_.at("adapters"));
  EXPECT_EQ(std::distance(left, {}), 1) << "no intermediate file is left";
}

TEST_P(Adapters, ThatDoNotFitTheirBaseModelAreRejected) {
  clock_.advance(std::chrono::seconds(1));
  const std::string bytes = adapterHolding("one");
  for (const auto& [wrong, why] :
       {std::pair(bytes.substr(0, bytes.size() / 2), "extends past the end of the file"),
        std::pair(std::string("no adapter"), "does not begin with GGUF")}) {
    committed(NewVersion{.collection = "bad",
                         .type = "lora",
                         .manifest = {file("adapter.gguf", wrong)},
                         .metadata = R"({"base_model":"base"})"},
              wrong);
    const Result<ResolvedAdapter> found = resolve("svc-artifact:///team/project/bad:latest");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(found.error().message().find(why), std::string::npos) << found.error().message();
    EXPECT_EQ(found.error().message().find(files_.path()), std::string::npos)
        << found.error().message();
  }
  weights::HfFolderForTest wide{{.width = 64}};
  ASSERT_TRUE(weights::importHfFolder(
      {.folder = wide.path(), .file = wide.file("base.gguf"), .name = "b", .type = {}}));
  serve("wide", wide.file("base.gguf"));
  checkpoint({"step1"}, "one", R"({"base_model":"wide"})");
  EXPECT_NE(content("svc-artifact:///team/project/agent").find("does not fit the base model"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(files_.at("adapters")));
}

TEST_P(Adapters, OfAModelThatAnUpstreamServesArePeftFiles) {
  Upstream upstream;
  upstream.name = "vllm";
  upstream.url = "https://vllm.example.com/v1";
  ASSERT_TRUE(catalogue_.insertUpstream(upstream, Secret()));
  Model model;
  model.name = "remote";
  model.targets = {{.upstream = "vllm"}};
  ASSERT_TRUE(catalogue_.insertModel(model));
  ASSERT_TRUE(models_.refresh());
  weights::AdapterFolderForTest peft(base_);
  peft.add("model.layers.0.self_attn.q_proj", 4);
  peft.write(R"("peft_type":"LORA","r":4,"lora_alpha":8,"target_modules":["q_proj"])");
  const std::string config = bytesAt(peft.path() + "/adapter_config.json");
  const std::string weights = bytesAt(peft.path() + "/adapter_model.safetensors");
  const auto begun = begin(NewVersion{
      .collection = "agent",
      .type = "lora",
      .manifest = {file("adapter_config.json", config), file("adapter_model.safetensors", weights)},
      .metadata = R"({"base_model":"remote"})"});
  ASSERT_TRUE(upload(begun.version.id, config));
  ASSERT_TRUE(upload(begun.version.id, weights));
  ASSERT_TRUE(versions_.commit(place_, actor_, "agent", begun.version.id));
  const std::string agent = "svc-artifact:///team/project/agent";
  EXPECT_EQ(codeOf(resolve(agent)), ErrorCode::kInvalidArgument) << "the upstream serves none";

  ASSERT_TRUE(catalogue_.updateUpstream("vllm", {.adapters = AdapterLoading::kVllm}));
  ASSERT_TRUE(models_.refresh());
  const Result<ResolvedAdapter> found = resolve(agent);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->adapter, nullptr);
  ASSERT_NE(found->peft, nullptr);
  EXPECT_EQ(found->peft->name.substr(0, 8), "spindle-");
  EXPECT_EQ(found->peft->name.size(), 48U);
  EXPECT_EQ(found->peft->artifact, "team/project/agent:v0");
  std::filesystem::create_directory(files_.at("out"));
  ASSERT_TRUE(found->peft->write(files_.at("out")));
  EXPECT_EQ(bytesAt(files_.at("out/adapter_model.safetensors")), weights);
}

TEST_P(Adapters, AreCheckedAgainWhenTheFileOfTheirBaseModelChanges) {
  checkpoint({"step1"}, "one");
  const Result<ResolvedAdapter> first = resolve("svc-artifact:///team/project/agent");
  ASSERT_TRUE(first);
  weights::HfFolderForTest wide{{.width = 64}};
  ASSERT_TRUE(weights::importHfFolder(
      {.folder = wide.path(), .file = base_.file("base.gguf"), .name = "b", .type = {}}));
  EXPECT_FALSE(resolve("svc-artifact:///team/project/agent"));
}

TEST_P(Adapters, InQuarantineAreRejectedUntilTheyAreReleased) {
  checkpoint({"step1"}, "one");
  const Result<ResolvedAdapter> found = resolve("svc-artifact:///team/project/agent");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->adapter->artifact, "team/project/agent:v0");
  ASSERT_TRUE(quarantine_.add(
      {.adapter = *found->adapter, .model = "base", .reason = "was terminated by signal 6"}));
  const Result<ResolvedAdapter> refused = resolve("svc-artifact:///team/project/agent");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason(), "adapter_quarantined");
  checkpoint({"step2"}, "two");
  EXPECT_EQ(content("svc-artifact:///team/project/agent"), "two") << "others are served";
  ASSERT_TRUE(quarantine_.remove(found->adapter->name));
  EXPECT_EQ(content("svc-artifact:///team/project/agent:step1"), "one");
}

TEST_P(Adapters, AreListedNewestFirstWithReadAccess) {
  checkpoint({"step1"}, "one", R"({"base_model":"base"})", "first");
  checkpoint({"step1"}, "two", R"({"base_model":"base"})", "second");
  checkpoint({"step2"}, "three", R"({"base_model":"base"})", "first");
  checkpoint({}, "four", R"({"base_model":"gone"})", "third");
  checkpoint({}, "five", R"({"base_model":"base"})", "data", "a", "dataset");
  const Result<std::vector<TrainedAdapter>> all = adapters_.list(user_.id, 10);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].name, "svc-artifact:///team/project/first");
  EXPECT_EQ((*all)[0].base_model, "base");
  EXPECT_EQ((*all)[1].name, "svc-artifact:///team/project/second");
  EXPECT_EQ(adapters_.list(user_.id, 1)->size(), 1U);
  EXPECT_TRUE(adapters_.list(person("eve").id, 10)->empty());
}

SPINDLE_ON_BOTH_ENGINES(Adapters);

TEST(AdapterMetadata, IsParsedInEverySpelling) {
  EXPECT_EQ(adapterMetadataOf(R"({"base_model":"a"})").base_model, "a");
  EXPECT_EQ(adapterMetadataOf(R"({"svc.base_model":"a"})").base_model, "a");
  EXPECT_EQ(adapterMetadataOf(R"({"svcp.base_model":"a"})").base_model, "a");
  EXPECT_FALSE(adapterMetadataOf(R"({"x.base_model":"a"})").base_model);
  EXPECT_FALSE(adapterMetadataOf("[]").base_model);
  EXPECT_TRUE(adapterMetadataOf(R"({"identity":true})").identity);
  EXPECT_FALSE(adapterMetadataOf(R"({"identity":"yes"})").identity);
  EXPECT_TRUE(adapterMetadataOf(R"({"model_id":"x"})").trained);
  EXPECT_FALSE(adapterMetadataOf(R"({"model_id":7,"base_model":"b"})").trained);
}

TEST(ArtifactNames, DifferFromModelNames) {
  EXPECT_TRUE(isArtifactName("svc-artifact:///team/project/agent:step3"));
  EXPECT_TRUE(isArtifactName("svc-artifact://team/project/agent"));
  EXPECT_FALSE(isArtifactName("meta-llama/Llama-3.1-8B"));
}

}  // namespace
}  // namespace spindle::inference
