// Runs inside its own network namespace (see ../dns_rebinding.test.mjs): a DNS server whose answers
// change, one receiver on a public address and one on loopback, and a Spindle server. Prints the
// observations as one line of JSON.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";

import { makeTeam } from "./people.mjs";
import { startServer } from "./server.mjs";

const [, , PUBLIC] = process.argv;
const LOOPBACK = "127.0.0.1";
const HOST = "hooks.example.com";

/** Starts a DNS server. The answer to the n-th A query is script[n]; the last entry repeats. */
async function startNameServer() {
  const names = { script: [], queries: 0 };
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const end = query.indexOf(0, 12) + 5; // name, its terminating zero, type and class
    const type = query.readUInt16BE(end - 4);
    const isA = type === 1;
    const addresses = isA ? names.script[Math.min(names.queries, names.script.length - 1)] : [];
    if (isA) names.queries += 1;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address);
  });
  socket.bind(53, LOOPBACK);
  await once(socket, "listening");
  names.use = (...script) => Object.assign(names, { script, queries: 0 });
  return names;
}

async function startCounter(address, port) {
  const counter = { requests: 0 };
  const server = createServer((request, response) => {
    counter.requests += 1;
    request.resume();
    response.writeHead(200, { Connection: "close" }).end();
  });
  server.listen(port, address);
  await once(server, "listening");
  counter.port = server.address().port;
  return counter;
}

const names = await startNameServer();
const outside = await startCounter(PUBLIC, 0);
const inside = await startCounter(LOOPBACK, outside.port);
const server = await startServer({
  args: ["--webhooks-allow-private", "never", "--webhooks-allow-http"],
});
const team = (await makeTeam(server)).name;
const observed = {};

async function deliver(name, ...script) {
  names.use(...script);
  outside.requests = 0;
  inside.requests = 0;
  const answer = await server.api("POST", `/api/v1/teams/${team}/webhooks/test`, {
    body: { name: "x", url_endpoint: `http://${HOST}:${outside.port}/` },
  });
  observed[name] = {
    status: answer.status,
    success: answer.json.success,
    error: answer.json.error?.code ?? null,
    lookups: names.queries,
    outside: outside.requests,
    inside: inside.requests,
  };
}

await deliver("turns_after_the_check", [PUBLIC], [LOOPBACK]);
await deliver("has_turned", [LOOPBACK]);
await deliver("both_at_once", [LOOPBACK, PUBLIC]);
await deliver("turned_back", [PUBLIC]);
await server.dispose();
process.stdout.write(`${JSON.stringify(observed)}\n`, () => process.exit(0));
