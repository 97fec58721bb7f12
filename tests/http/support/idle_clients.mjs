// node idle_clients.mjs HOST PORT COUNT: opens COUNT connections and sends nothing. Prints "open" when
// all are connected. Prints "lost N" (connections that the server has closed) for each line "lost" on
// stdin. Exits at the end of stdin. A separate process has its own limit of open files.

import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const [host, port, count] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const AT_A_TIME = 200;

let lost = 0;
let opened = 0;
const sockets = [];

async function open() {
  while (opened < count) {
    opened += 1;
    const socket = connect(port, host);
    sockets.push(socket);
    await once(socket, "connect");
    socket.on("error", () => {}).on("close", () => (lost += 1)).resume();
  }
}

await Promise.all(Array.from({ length: AT_A_TIME }, open));
console.log("open");
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "lost") console.log(`lost ${lost}`);
}
process.exit(0);
