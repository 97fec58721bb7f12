#include "transfer/import_state.h"

#include <utility>

#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::transfer {
namespace {

schema::Codec<ImportState> importStateCodec() {
  const schema::Codec<std::int64_t> count = schema::integer({.ge = 0});
  return schema::Record<ImportState>("ImportState")
      .required("url", &ImportState::url, schema::string())
      .required("project", &ImportState::project, schema::string())
      .required("keep_refs", &ImportState::keep_refs, schema::boolean())
      .required("file", &ImportState::file, schema::string())
      .required("line", &ImportState::line, count)
      .required("calls", &ImportState::calls, count)
      .required("skipped", &ImportState::skipped, count)
      .codec();
}

}  // namespace

Result<ImportState> readImportState(std::string text) {
  Result<ImportState> state = schema::parse(importStateCodec(), std::move(text), "state");
  if (!state) return Error::invalidArgument("is not the state of an import");
  return state;
}

std::string writeImportState(const ImportState& state) {
  return importStateCodec().toJson(state) + "\n";
}

}  // namespace spindle::transfer
