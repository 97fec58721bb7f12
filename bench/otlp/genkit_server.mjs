// Genkit's telemetry server on a folder: genkit_server.mjs FOLDER PORT. It keeps traces as files and
// does not wait for the disk.

import { createRequire } from 'node:module';

// Its ES module build names no exports that Node can see.
const { LocalFileLogStore, LocalFileTraceStore, startTelemetryServer } = createRequire(import.meta.url)('@genkit-ai/telemetry-server');

const [folder, port] = process.argv.slice(2);
const where = { storeRoot: folder, indexRoot: folder };
await startTelemetryServer({
  port: Number(port),
  traceStore: new LocalFileTraceStore(where),
  logStore: new LocalFileLogStore(where),
});
console.log('ready');
