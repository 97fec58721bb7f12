// Genkit's telemetry server on a folder: genkit_server.mjs FOLDER PORT. It stores traces as files and
// does not sync them.

import { createRequire } from 'node:module';

// Node finds no named exports in its ES module build.
const { LocalFileLogStore, LocalFileTraceStore, startTelemetryServer } = createRequire(import.meta.url)('@genkit-ai/telemetry-server');

const [folder, port] = process.argv.slice(2);
const where = { storeRoot: folder, indexRoot: folder };
await startTelemetryServer({
  port: Number(port),
  traceStore: new LocalFileTraceStore(where),
  logStore: new LocalFileLogStore(where),
});
console.log('ready');
