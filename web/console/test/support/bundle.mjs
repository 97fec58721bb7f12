// Bundles sources of the console in memory and imports them.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { COMMON_OPTIONS } from "../../build.mjs";

const SRC = join(dirname(fileURLToPath(import.meta.url)), "../../src");

/** Imports modules below src/ as one object: importSources("format/numbers.ts", "format/time.ts"). */
export async function importSources(...paths) {
  const contents = paths.map((path) => `export * from ${JSON.stringify(`./${path}`)};`).join("\n");
  const { outputFiles } = await build({
    ...COMMON_OPTIONS,
    stdin: { contents, resolveDir: SRC, loader: "ts" },
    platform: "node",
    write: false,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
