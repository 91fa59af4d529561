// pg-boss, fetching and completing in batches.

import { PgBoss } from "pg-boss";
import { drain } from "./drain.mjs";

const QUEUE = "trivial";
const ENQUEUE_BATCH = 10_000;

// Its documentation: a high `batchSize`, whose jobs are fetched by one statement and completed by one, and several
// workers. The rest was tried with 100,000 jobs on two cores shared with the server.
const settings = {
  // A second process was not faster.
  processes: 1,
  // One took a third longer; three and four were not faster than two.
  localConcurrency: 2,
  // 300 to 2,000 were slower or equal; 10,000 was not faster. A table of the queue's own (`partition`) changed nothing.
  batchSize: 5_000,
  // Fetches again at once after a full batch, instead of waiting for the next poll.
  burstWhenBatchFull: true,
  // The shortest it takes: what follows a batch that was not full.
  pollingIntervalSeconds: 0.5,
};

async function withBoss(url, act) {
  const boss = await start(url, 2);
  await act(boss);
  await boss.stop({ graceful: true });
}

async function start(connectionString, max) {
  // Neither maintenance nor schedules take a share of the measured time.
  const boss = new PgBoss({ connectionString, max, supervise: false, schedule: false });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  return boss;
}

await drain({
  library: "pg-boss",
  settings,
  table: "pgboss.job",
  unfinished: `name = '${QUEUE}' and state < 'completed'`,
  completedStay: true,

  async install(url) {
    await withBoss(url, (boss) => boss.createQueue(QUEUE));
  },

  async enqueue(url, jobs) {
    await withBoss(url, async (boss) => {
      for (let first = 0; first < jobs; first += ENQUEUE_BATCH) {
        const length = Math.min(ENQUEUE_BATCH, jobs - first);
        await boss.insert(QUEUE, Array.from({ length }, (_, index) => ({ data: { number: first + index } })));
      }
    });
  },

  async start(url, { processes: _, ...options }, handled) {
    const boss = await start(url, options.localConcurrency + 1);
    await boss.work(QUEUE, options, async (jobs) => handled(jobs.length));
    return () => boss.stop({ graceful: true });
  },
});
