// Places the data of the servers that black-box tests start into PostgreSQL, ClickHouse and S3. tests/http/support
// imports this module when SPINDLE_TEST_STORES names it; the other variables are those of `testEnvironment()`.

import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";

const { env } = process;
const known = new Map();

/** Returns the variables with which black-box tests use these servers. */
export function testEnvironment({ clickhouse, postgres, s3 }) {
  return {
    SPINDLE_TEST_STORES: import.meta.url,
    SPINDLE_TEST_STORES_POSTGRES: postgres.folder,
    SPINDLE_TEST_CLICKHOUSE: clickhouse.url,
    SPINDLE_TEST_CLICKHOUSE_USER: clickhouse.user,
    SPINDLE_TEST_CLICKHOUSE_PASSWORD: clickhouse.password,
    SPINDLE_TEST_STORES_S3: JSON.stringify(s3.environment("")),
  };
}

async function create(name) {
  execFileSync("createdb", ["-h", env.SPINDLE_TEST_STORES_POSTGRES, "-U", "spindle", name], { stdio: "ignore" });
  const answer = await fetch(env.SPINDLE_TEST_CLICKHOUSE, {
    method: "POST",
    headers: {
      "X-ClickHouse-User": env.SPINDLE_TEST_CLICKHOUSE_USER,
      "X-ClickHouse-Key": env.SPINDLE_TEST_CLICKHOUSE_PASSWORD,
    },
    body: `CREATE DATABASE ${name}`,
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Returns the settings of the stores of a data folder: the same ones when a server starts on it again. */
export async function storesOf(dataFolder) {
  const name = `t${createHash("sha256").update(dataFolder).digest("hex").slice(0, 24)}`;
  if (!known.has(name)) known.set(name, create(name));
  await known.get(name);
  const folder = encodeURIComponent(env.SPINDLE_TEST_STORES_POSTGRES);
  return {
    SPINDLE_METADATA: `postgres://spindle@/${name}?host=${folder}`,
    SPINDLE_TRACES_STORE: "clickhouse",
    SPINDLE_TRACES_CLICKHOUSE_URL: env.SPINDLE_TEST_CLICKHOUSE,
    SPINDLE_TRACES_CLICKHOUSE_USER: env.SPINDLE_TEST_CLICKHOUSE_USER,
    SPINDLE_TRACES_CLICKHOUSE_PASSWORD: env.SPINDLE_TEST_CLICKHOUSE_PASSWORD,
    SPINDLE_TRACES_CLICKHOUSE_DATABASE: name,
    ...JSON.parse(env.SPINDLE_TEST_STORES_S3),
    SPINDLE_FILES_S3_PREFIX: `${name}/`,
  };
}
