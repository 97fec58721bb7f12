// Sends the jobs of a BullMQ queue as requests with Spindle's signature, 64 concurrently.
//
//   node bullmq_worker.mjs REDIS_PORT

import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { Worker } from 'bullmq';

const connection = { host: '127.0.0.1', port: Number(process.argv[2]) };
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const key = 's3cr3t-deploy-key';

function post(url, id, body) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(body).digest('hex');
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Webhook-Id': id,
    'Webhook-Timestamp': timestamp,
    'X-Svc-Signature': signature,
    'Webhook-Signature': `v1,${standard}`,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent, timeout: 15_000 }, (answer) => {
      answer.resume();
      answer.on('end', () => (answer.statusCode < 300 ? resolve() : reject(new Error(String(answer.statusCode)))));
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('timeout')));
    sent.end(body);
  });
}

const worker = new Worker('webhooks', (job) => post(job.data.url, job.id, job.data.body), { connection, concurrency: 64 });
await worker.waitUntilReady();
process.send({ ready: true });
