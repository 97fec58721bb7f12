// Keeps the number of files small that a screen loads.
//
// esbuild puts two modules into one file only if the same entry points reach them: with 40 screens and dialogs as entry
// points that makes about 150 files, of which a screen loads 50, and each is a request and a module for the main thread of
// the page. So every entry point imports groups as a whole: what the first page has loaded anyway, what many screens
// share, and what the screens of calls share with others. Each group then is one file.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** A module that at least this many entry points import belongs to the shared group. */
const SHARED_BY = 6;
const GROUP = /^group:(first|shared|busy)$/;

const isScript = (path) => /\.[jt]sx?$|\.mjs$/.test(path);

/** Returns the modules that a module imports directly or indirectly, itself included, without dynamic imports. */
function reachedFrom(start, inputs) {
  const reached = new Set();
  const visit = (path) => {
    if (reached.has(path) || !isScript(path)) return;
    reached.add(path);
    for (const part of inputs[path].imports) {
      if (part.kind === "import-statement" && !part.external) visit(part.path);
    }
  };
  visit(start);
  return reached;
}

/**
 * Returns the modules of the groups and, by the path of each module that is loaded later, the groups that it imports.
 * `inputs` are those of a metafile, `main` is the first module, `busy` are the screens that are opened most.
 */
export function groupsOf(inputs, main, busy = []) {
  const first = reachedFrom(main, inputs);
  const reached = new Map(); // What each module that is loaded later imports.
  for (const { imports } of Object.values(inputs)) {
    for (const { kind, path, external } of imports) {
      if (kind === "dynamic-import" && !external) reached.set(path, reachedFrom(path, inputs));
    }
  }
  const users = new Map();
  for (const [entry, paths] of reached) {
    for (const path of paths) if (path !== entry && !first.has(path) && !reached.has(path)) users.set(path, [...(users.get(path) ?? []), entry]);
  }
  const those = (wanted) => [...users].filter(([path, entries]) => wanted(path, entries)).map(([path]) => path).sort();
  const isBusy = (path) => busy.some((screen) => reached.get(screen).has(path));
  const groups = {
    first: [...first].filter((path) => path !== main).sort(),
    shared: those((_, entries) => entries.length >= SHARED_BY),
    busy: those((path, entries) => entries.length > 1 && entries.length < SHARED_BY && isBusy(path)),
  };
  const needsBusy = (paths) => groups.busy.some((path) => paths.has(path));
  const imports = new Map([...reached].map(([entry, paths]) => [entry, ["first", "shared", ...(needsBusy(paths) ? ["busy"] : [])]]));
  return { groups, imports };
}

const loaderOf = (path) => /\.([jt]sx?|mjs)$/.exec(path)[1].replace("mjs", "js");

/** The esbuild plugin that adds the imports. `folder`: the folder to which the paths are relative. */
export function groupPlugin({ groups, imports }, folder) {
  const added = new Map([...imports].map(([path, names]) => [resolve(folder, path), names.map((name) => `import "group:${name}";`).join("")]));
  // Named imports: esbuild drops an import without names of a package that declares to have no side effects.
  const textOf = (paths) => paths.map((path, i) => `import * as part${i} from ${JSON.stringify(resolve(folder, path))};`).join("\n");
  return {
    name: "groups",
    setup(build) {
      build.onResolve({ filter: GROUP }, ({ path }) => ({ path, namespace: "group", sideEffects: true }));
      build.onLoad({ filter: GROUP, namespace: "group" }, ({ path }) => ({ contents: textOf(groups[GROUP.exec(path)[1]]), resolveDir: folder }));
      build.onLoad({ filter: /\.[jt]sx?$/ }, ({ path }) => {
        if (!added.has(path)) return undefined;
        return { contents: added.get(path) + readFileSync(path, "utf8"), loader: loaderOf(path) };
      });
    },
  };
}
