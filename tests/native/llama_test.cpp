#include <filesystem>
#include <string>

#include <common/chat.h>
#include <common/json-schema-to-grammar.h>
#include <dlfcn.h>
#include <ggml-backend.h>
#include <gtest/gtest.h>
#include <llama.h>

namespace {

/// Returns the folder of the loaded libllama, which also contains ggml's CPU back ends.
std::string libraryFolder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&llama_backend_init), &info) == 0) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

class NativeLlama : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ggml_backend_load_all_from_path(libraryFolder().c_str());
    llama_backend_init();
  }

  static void TearDownTestSuite() { llama_backend_free(); }
};

TEST_F(NativeLlama, FindsACpuBackEndForThisMachine) {
  RecordProperty("system_info", llama_print_system_info());
  EXPECT_NE(ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU), nullptr) << libraryFolder();
}

TEST_F(NativeLlama, RefusesAMissingModelWithoutAborting) {
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  EXPECT_EQ(llama_model_load_from_file("/nowhere.gguf", llama_model_default_params()), nullptr);
  llama_log_set(nullptr, nullptr);
}

TEST_F(NativeLlama, TurnsAJsonSchemaIntoAGrammar) {
  const common_json schema = common_json::parse(R"({"type":"object",
      "properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false})");
  const std::string grammar = json_schema_to_grammar(schema);
  EXPECT_NE(grammar.find("root ::="), std::string::npos) << grammar;
  EXPECT_NE(grammar.find("city"), std::string::npos) << grammar;
}

TEST_F(NativeLlama, RendersAChatTemplate) {
  const char* source =
      "{% for message in messages %}<{{ message.role }}>{{ message.content }}\n{% endfor %}"
      "{% if add_generation_prompt %}<assistant>{% endif %}";
  const common_chat_templates_ptr templates = common_chat_templates_init(nullptr, source);
  common_chat_msg question;
  question.role = "user";
  question.content = "Hello?";
  common_chat_templates_inputs inputs;
  inputs.messages = {question};
  EXPECT_EQ(common_chat_templates_apply(templates.get(), inputs).prompt,
            "<user>Hello?\n<assistant>");
}

}  // namespace
