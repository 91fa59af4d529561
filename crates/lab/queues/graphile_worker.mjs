// graphile-worker, with its local queue and batched completion.

import { Logger, run, runMigrations } from "graphile-worker";
import pg from "pg";
import { drain } from "./drain.mjs";

// Its performance page and test: 24 jobs at once, a local queue of 500, batches of completions sent without a delay.
// The rest was tried with 100,000 jobs on two cores shared with the server.
const settings = {
  // One was slower; three and four were not faster than two.
  processes: 2,
  // 8 were slower, 100 not faster.
  concurrentJobs: 24,
  // 500 asks the server more often and was slower with one process; 5,000 was not faster.
  localQueueSize: 2_000,
  // In milliseconds. 2, 5, 10 and 20 were not faster; 20 was clearly slower.
  completeJobBatchDelay: 0,
};

// Its log line per job would cost more than the job.
process.env.NO_LOG_SUCCESS = "1";
const logger = new Logger(() => (level, message) => {
  if (level === "error" || level === "warning") console.error(message);
});

await drain({
  library: "graphile-worker",
  settings,
  table: "graphile_worker._private_jobs",
  unfinished: "true",
  completedStay: false,

  async install(connectionString) {
    await runMigrations({ connectionString, logger });
  },

  // The function that its own API calls, in one statement, as its performance test does.
  async enqueue(connectionString, jobs) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(
      `select count(*) from graphile_worker.add_jobs(array(
         select json_populate_record(null::graphile_worker.job_spec,
           json_build_object('identifier', 'trivial', 'payload', json_build_object('number', number)))
         from generate_series(1, $1::int) number))`,
      [jobs],
    );
    await client.end();
  },

  async start(connectionString, settings, handled) {
    const runner = await run({
      logger,
      noHandleSignals: true,
      taskList: { trivial: () => handled(1) },
      parsedCronItems: [],
      preset: {
        worker: {
          connectionString,
          concurrentJobs: settings.concurrentJobs,
          maxPoolSize: settings.concurrentJobs + 1,
          localQueue: { size: settings.localQueueSize },
          completeJobBatchDelay: settings.completeJobBatchDelay,
          failJobBatchDelay: settings.completeJobBatchDelay,
        },
      },
    });
    return () => runner.stop();
  },
});
