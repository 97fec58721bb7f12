// A deployment of several nodes on this machine: PostgreSQL, ClickHouse, and the nodes.

import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { startClickHouse } from '../../tests/scale/support/clickhouse_server.mjs';
import { startPostgres } from '../../tests/scale/support/postgres_server.mjs';
import { measuredPost } from '../traces/post.mjs';
import { scratch, startServer, stop } from '../traces/programs.mjs';

const ticksPerSecond = 100;

/** Settings of every measured server: no engine and no trainer beside it. */
export const plainServer = { SPINDLE_INFERENCE_DEFAULT_MODEL: 'none', SPINDLE_TRAINING_LOCAL: 'false' };

/** Returns the fields of /proc/PID/stat after the name of the process. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // it has ended
  }
}

/** Returns the processor seconds of a process, its children, and those of its children that have ended. */
function processorSeconds(pid) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = pids.map(statOf).filter((stat) => stat?.[1] === String(pid));
  const sum = (fields) => fields.reduce((total, field) => total + Number(field), 0);
  const own = statOf(pid);
  return ((own ? sum(own.slice(11, 15)) : 0) + sum(children.map((stat) => sum(stat.slice(11, 13))))) / ticksPerSecond;
}

export class Deployment {
  static async start(count) {
    const made = new Deployment();
    try {
      await made.#start(count);
      return made;
    } catch (error) {
      await made.dispose();
      throw error;
    }
  }

  async #start(count) {
    this.clickhouse = await startClickHouse();
    this.postgres = await startPostgres();
    const traces = await this.clickhouse.newDatabase();
    this.database = traces.SPINDLE_TRACES_CLICKHOUSE_DATABASE;
    this.settings = {
      ...plainServer,
      ...traces,
      SPINDLE_METADATA: this.postgres.uri,
      SPINDLE_SECRET_KEY: randomBytes(32).toString('hex'),
      SPINDLE_ADMIN_API_KEY: randomBytes(24).toString('hex'),
    };
    this.nodes = [];
    for (let number = 1; number <= count; ++number) {
      this.nodes.push(await startServer(join(scratch, `node-${number}`), [], undefined, this.settings));
    }
    this.postgresPid = Number(readFileSync(join(this.postgres.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Returns the processor seconds that the parts have used. ClickHouse is missing if it was not started here. */
  processorSeconds() {
    const { child } = this.clickhouse;
    return {
      nodes: this.nodes.reduce((total, node) => total + processorSeconds(node.child.pid), 0),
      ...(child && { ClickHouse: processorSeconds(child.pid) }),
      PostgreSQL: processorSeconds(this.postgresPid),
    };
  }

  /** Sends a statement to ClickHouse and measures it. `fields` are settings and parameters of the URL. */
  measure(statement, fields = {}) {
    const url = new URL(this.clickhouse.url);
    url.search = new URLSearchParams({ default_format: 'RowBinaryWithNamesAndTypes', ...fields });
    const headers = {
      'x-clickhouse-user': this.clickhouse.user,
      'x-clickhouse-key': this.clickhouse.password,
      'x-clickhouse-database': this.database,
    };
    return measuredPost(url, headers, statement);
  }

  /** Runs a statement and returns its rows, as lists. */
  async rows(statement, fields = {}) {
    const { text } = await this.measure(statement, { ...fields, default_format: 'JSONCompactEachRow' });
    return text().split('\n').filter(Boolean).map((line) => JSON.parse(line));
  }

  async dispose() {
    await Promise.all((this.nodes ?? []).map(stop));
    if (this.database) await this.clickhouse.query(`DROP DATABASE ${this.database}`).catch(() => {});
    await Promise.all([this.clickhouse?.dispose(), this.postgres?.dispose()]);
  }
}

/** Returns the processor seconds of each part between two moments. */
export function processorBetween(before, after) {
  return Object.fromEntries(Object.keys(after).map((part) => [part, after[part] - before[part]]));
}

export function processorSum(all) {
  return Object.fromEntries(Object.keys(all[0]).map((part) => [part, all.reduce((total, one) => total + one[part], 0)]));
}

/** Returns `12.0 ms nodes, 10.0 ms ClickHouse`: the processor time of one of `count` things. */
export function processorText(seconds, count) {
  return Object.entries(seconds).map(([part, used]) => `${((used * 1000) / count).toFixed(1)} ms ${part}`).join(', ');
}
