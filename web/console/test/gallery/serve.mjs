// Bundles the gallery in memory and serves it under the console's policy.

import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { COMMON_OPTIONS } from "../../build.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));

export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; " +
  "base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const PAGE = '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Gallery</title>' +
  '<link rel="icon" href="data:,"><link rel="stylesheet" href="gallery.css"></head><body><div id="app"></div><script type="module" src="gallery.js"></script></body></html>';

/** Returns { url, close }. */
export async function serveGallery() {
  const { outputFiles } = await build({
    ...COMMON_OPTIONS, entryPoints: [join(HERE, "gallery.tsx")], outdir: "/", write: false, minify: true, define: { "process.env.NODE_ENV": '"production"' },
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [path.split("/").at(-1), contents]));
  const server = createServer((request, response) => {
    const name = new URL(request.url, "http://x").pathname.slice(1);
    const body = name === "" ? PAGE : files.get(name);
    const type = name === "" ? "text/html; charset=utf-8" : name.endsWith(".css") ? "text/css" : "text/javascript";
    response.writeHead(body === undefined ? 404 : 200, { "Content-Type": type, "Content-Security-Policy": POLICY });
    response.end(body === undefined ? "" : Buffer.from(body));
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); }) };
}
