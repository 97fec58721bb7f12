// Builds the console: node build.mjs [FOLDER] [--dev]
//
// Writes the bundle to FOLDER (default: build/console of the repository) with a content hash in each name,
// prints the gzip size of each part and fails when a part is over its budget. --dev keeps names and adds
// source maps.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import { groupPlugin, groupsOf } from "./chunks.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const SCREENS = join(HERE, "src/screens");
/** The screens that are opened most, and must open fast. */
const BUSY_SCREENS = ["src/screens/traces/index.tsx", "src/screens/trace/index.tsx"];
const PLACEHOLDER = /^ *<!-- The build puts .* -->\n/m;

/** Largest allowed sizes in bytes after gzip. */
export const BUDGETS = { firstScript: 60_000, firstStyle: 12_000, lazyPart: 30_000 };

/** The options that the bundle and the unit tests have in common. */
export const COMMON_OPTIONS = {
  absWorkingDir: HERE,
  bundle: true,
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
};

/** The stylesheets that are loaded with a screen: src/screens/<name>/style.css. */
function screenStyles() {
  if (!existsSync(SCREENS)) return [];
  return readdirSync(SCREENS)
    .filter((name) => existsSync(join(SCREENS, name, "style.css")))
    .map((name) => ({ in: join(SCREENS, name, "style.css"), out: `screen_${name}` }));
}

function gzipSize(path) {
  return gzipSync(readFileSync(path), { level: 9 }).length;
}

function hashedName(path) {
  const bytes = readFileSync(path);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const [stem, extension] = basename(path).split(".");
  return { bytes, name: `${stem}-0${hash}.${extension}` };
}

async function bundle(folder, dev) {
  const shared = {
    ...COMMON_OPTIONS,
    outdir: folder,
    metafile: true,
    minify: !dev,
    sourcemap: dev ? "linked" : false,
    // The 0 guarantees a digit: the server takes names without one for names without a hash.
    entryNames: "[name]-0[hash]",
    chunkNames: "[name]-0[hash]",
    assetNames: "[name]-0[hash]",
    // Chromium then compiles all functions of a file while it is loaded, on another thread, instead of each one at its
    // first call: a page needs a tenth less time until it shows something.
    banner: { js: "//# allFunctionsCalledOnLoad" },
    define: { "process.env.NODE_ENV": dev ? '"development"' : '"production"' },
  };
  const main = { in: join(HERE, "src/main.tsx"), out: "console" };
  const graph = await build({ ...shared, entryPoints: [main], splitting: true, write: false });
  const application = await build({
    ...shared,
    entryPoints: [main, ...screenStyles()],
    splitting: true,
    plugins: [groupPlugin(groupsOf(graph.metafile.inputs, "src/main.tsx", BUSY_SCREENS), HERE)],
  });
  // Runs before the first paint, so that a chosen theme does not flash: a classic script of its own.
  const theme = await build({
    ...shared,
    format: "iife",
    entryPoints: [{ in: join(HERE, "src/first_paint.ts"), out: "first_paint" }],
  });
  return { ...application.metafile.outputs, ...theme.metafile.outputs };
}

/** Sorts the outputs into the ones of the first load and the ones loaded later. */
function sortOutputs(outputs, folder) {
  const files = Object.entries(outputs)
    .filter(([path]) => !path.endsWith(".map"))
    .map(([path, output]) => ({ path: resolve(HERE, path), key: path, output }));
  const entry = files.find(({ output }) => output.entryPoint === "src/main.tsx");
  const paint = files.find(({ output }) => output.entryPoint === "src/first_paint.ts");
  const first = new Set();
  const visit = (key) => {
    if (first.has(key)) return;
    first.add(key);
    for (const part of outputs[key].imports) {
      if (part.kind === "import-statement" && !part.external) visit(part.path);
    }
  };
  visit(entry.key);
  const named = (file) => relative(folder, file.path);
  const styles = {};
  for (const file of files) {
    const match = /^src\/screens\/([^/]+)\/style\.css$/.exec(file.output.entryPoint ?? "");
    if (match) styles[match[1]] = named(file);
  }
  return {
    entry: named(entry),
    paint: named(paint),
    style: entry.output.cssBundle && relative(folder, resolve(HERE, entry.output.cssBundle)),
    scripts: files.filter(({ key }) => first.has(key)).map(named),
    lazy: files
      .filter(({ key }) => !first.has(key) && key !== paint.key && key !== entry.output.cssBundle)
      .map(named),
    styles,
  };
}

function writePage(folder, parts) {
  const source = readFileSync(join(HERE, "index.html"), "utf8");
  const icon = hashedName(join(HERE, "src/icon.svg"));
  writeFileSync(join(folder, icon.name), icon.bytes);
  const lines = [
    `<link rel="icon" href="${icon.name}" type="image/svg+xml">`,
    `<script src="${parts.paint}"></script>`,
    ...(parts.style ? [`<link rel="stylesheet" href="${parts.style}">`] : []),
    ...parts.scripts
      .filter((name) => name !== parts.entry)
      .map((name) => `<link rel="modulepreload" href="${name}">`),
    `<meta name="screen-styles" content="${JSON.stringify(parts.styles).replaceAll('"', "&quot;")}">`,
    `<script type="module" src="${parts.entry}"></script>`,
  ];
  if (!PLACEHOLDER.test(source)) throw new Error("index.html has no place for the built files");
  writeFileSync(join(folder, "index.html"), source.replace(PLACEHOLDER, lines.map((l) => `    ${l}\n`).join("")));
}

/** Prints the sizes and returns the budgets that do not hold. */
function report(folder, parts) {
  const size = (name) => gzipSize(join(folder, name));
  const sum = (names) => names.reduce((total, name) => total + size(name), 0);
  const rows = [
    ["first load, scripts", sum([...parts.scripts, parts.paint]), BUDGETS.firstScript],
    ["first load, style", parts.style ? size(parts.style) : 0, BUDGETS.firstStyle],
    ...parts.lazy.map((name) => [name, size(name), BUDGETS.lazyPart]),
  ];
  for (const [name, bytes, budget] of rows) {
    const mark = bytes > budget ? `  over the budget of ${budget}` : "";
    console.log(`${String(bytes).padStart(7)}  ${name}${mark}`);
  }
  return rows.filter(([, bytes, budget]) => bytes > budget);
}

export async function buildConsole(folder, { dev = false } = {}) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const outputs = await bundle(folder, dev);
  const parts = sortOutputs(outputs, folder);
  writePage(folder, parts);
  const broken = report(folder, parts);
  if (broken.length > 0 && !dev) throw new Error(`${broken.length} parts are over their budget (bytes after gzip)`);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const folder = args.find((arg) => !arg.startsWith("--")) ?? join(HERE, "../../build/console");
  try {
    await buildConsole(resolve(folder), { dev: args.includes("--dev") });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
