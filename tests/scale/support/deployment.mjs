// Several nodes over the same stores, behind a balancer. A deployment has the members of a server of
// tests/http/support/server.mjs, so that tests of one server run on it.

import { createHash } from "node:crypto";
import { dirname } from "node:path";

import { Client } from "../../http/support/client.mjs";
import { forbidInResponses } from "../../http/support/leaks.mjs";
import { removeFolder } from "../../http/support/program.mjs";
import { startNode } from "../../http/support/server.mjs";
import { BALANCER_ERROR, startBalancer } from "./balancer.mjs";

export const NODES = 3;

/** A client of a balancer. The API document does not describe the balancer's own responses. */
class BalancedClient extends Client {
  checkDocumented(method, path, sent, answer) {
    return answer.headers[BALANCER_ERROR] ? answer : super.checkDocumented(method, path, sent, answer);
  }
}

/** Returns the data folder of a node: the first has that of the deployment, the others are beside it. */
const folderOf = (folder, i) => (i === 0 ? folder : `${folder}-${i + 1}`);

class Deployment {
  /** The options are those of startServer(); `env` names the stores. */
  constructor({ folder, count, env, ownsFolder, ...options }) {
    this.dataDir = folder;
    this.count = count;
    this.ownsFolder = ownsFolder;
    this.options = options;
    // The same key whenever this folder is started.
    this.env = { SPINDLE_SECRET_KEY: createHash("sha256").update(folder).digest("hex"), ...env };
  }

  async start() {
    const started = await Promise.allSettled(Array.from({ length: this.count }, (_, i) => this.#start(i)));
    this.nodes = started.filter(({ status }) => status === "fulfilled").map(({ value }) => value);
    const failed = started.find(({ status }) => status === "rejected");
    if (failed) {
      await Promise.all(this.nodes.map((node) => node.kill()));
      throw failed.reason;
    }
    this.balancer = await startBalancer(this.nodes.map(({ url }) => url));
    this.url = this.balancer.url;
    this.adminKey = this.nodes[0].adminKey;
    const paths = this.nodes.map(({ dataDir }, i) => [`the data folder's path of node ${i + 1}`, dataDir]);
    forbidInResponses(this.url, { ...Object.fromEntries(paths), "the administrator's key": this.adminKey });
    this.client = new BalancedClient(this.url, this.adminKey, { documented: this.nodes[0].client.documented });
  }

  #start(i) {
    return startNode({ ...this.options, folder: folderOf(this.dataDir, i), env: this.env });
  }

  /** Sends one request through the balancer; see Client.request. */
  api(method, path, options) {
    return this.client.request(method, path, options);
  }

  /** Runs `spindle ARGS` on the data folder of the first node. */
  cli(...args) {
    return this.nodes[0].cli(...args);
  }

  get program() {
    return this.nodes[0].program;
  }

  /** The logs of all nodes. */
  get logs() {
    return this.nodes.map(({ logs }) => logs).join("");
  }

  /** The memory of the largest node. */
  residentKilobytes() {
    return Math.max(...this.nodes.map((node) => node.residentKilobytes()));
  }

  /** Sends SIGKILL to one node. */
  killNode(i) {
    return this.nodes[i].kill();
  }

  /** Starts a node again that was killed. */
  async restartNode(i) {
    this.nodes[i] = await this.#start(i);
    await this.balancer.replace(i, this.nodes[i].url);
  }

  /** Ends all nodes with SIGTERM and resolves with the result of the first. */
  stop() {
    return this.#end((node) => node.stop());
  }

  kill() {
    return this.#end((node) => node.kill());
  }

  async #end(end) {
    this.client.close();
    const [ended] = await Promise.all(this.nodes.map(end));
    await this.balancer.close();
    this.client.secrets.check(this.logs);
    return ended;
  }

  async dispose() {
    await this.kill();
    if (!this.ownsFolder) return;
    removeFolder(dirname(this.dataDir));
  }
}

/**
 * Starts nodes over the stores that `env` names, and a balancer.
 *
 * folder      the data folder of the first node; the others are beside it
 * count       number of nodes
 * ownsFolder  dispose() deletes the folder that contains the data folders
 * The other options are those of startServer().
 */
export async function startDeployment({ count = NODES, ownsFolder = false, ...options }) {
  const deployment = new Deployment({ count, ownsFolder, ...options });
  await deployment.start();
  return deployment;
}
