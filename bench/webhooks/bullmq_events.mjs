// Adds one job for each endpoint of each event to a BullMQ queue.
//
//   node bullmq_events.mjs REDIS_PORT EVENTS RECEIVER_URL ENDPOINTS BODY

import { Queue } from 'bullmq';

const [port, events, url, endpoints, body] = process.argv.slice(2);
const queue = new Queue('webhooks', { connection: { host: '127.0.0.1', port: Number(port) } });
await queue.waitUntilReady();
const options = { attempts: 8, removeOnComplete: true };
process.on('message', async () => {
  for (let event = 0; event < Number(events); ++event) {
    const jobs = [];
    for (let i = 0; i < Number(endpoints); ++i) {
      jobs.push({ name: 'send', data: { url: `${url}hook/${i}`, body }, opts: { ...options, jobId: `dlv_${event}_${i}` } });
    }
    await queue.addBulk(jobs);
  }
  await queue.close();
  process.exit(0);
});
process.send({ ready: true });
