// Measures how fast a job queue of npm drains waiting jobs on Postgres, and prints one line of JSON. Knows no library:
// `graphile_worker.mjs` and `pg_boss.mjs` say how theirs is set up, filled, worked and counted.
//
// Environment:
//   POSTGRES_URL   an empty database of its own
//   JOBS           how many jobs to drain (100000)
//   WARMUP_JOBS    how many to drain first, outside the measured time (5000)
//   SETTINGS       JSON laid over the library's settings, to try others

import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import pg from "pg";

// How often a worker process tells its count. Far below any measured time, and too rare to cost anything.
const COUNT_PERIOD_MS = 5;
const COMPLETION_PERIOD_MS = 2;
// A queue that stands still this long is broken; a wait without an end would hide that.
const STANDSTILL_MS = 60_000;

const WORKER = "worker";

/**
 * `queue` has: `library`, the name on npm; `settings`, with `processes`; `install(url)`; `enqueue(url, jobs)`;
 * `table`, where the jobs are; `unfinished`, a condition true for jobs not completed; `completedStay`, whether completed
 * jobs stay in the table; `start(url, settings, handled)`, which starts workers that call `handled(jobs)` after their
 * trivial work and gives a function that stops them.
 */
export async function drain(queue) {
  const url = process.env.POSTGRES_URL;
  const settings = { ...queue.settings, ...JSON.parse(process.env.SETTINGS ?? "{}") };
  if (process.argv[2] === WORKER) {
    work(queue, url, settings);
    return;
  }
  if (!url) {
    throw new Error("POSTGRES_URL is not set; give the address of an empty database");
  }
  const jobs = wholeNumber("JOBS", 100_000);
  const warmupJobs = wholeNumber("WARMUP_JOBS", 5_000);
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await queue.install(url);
  const processes = Array.from({ length: settings.processes }, () => fork(process.argv[1], [WORKER]));
  await round(queue, url, database, processes, warmupJobs, 0);
  const { enqueueSecs, drainSecs } = await round(queue, url, database, processes, jobs, warmupJobs);
  processes.forEach((child) => child.disconnect());
  const show = async (name) => (await database.query(`show ${name}`)).rows[0][name];
  const measured = {
    library: queue.library,
    version: version(queue.library),
    node: process.versions.node,
    jobs,
    enqueue_secs: enqueueSecs,
    drain_secs: drainSecs,
    drain_per_s: jobs / drainSecs,
    synchronous_commit: await show("synchronous_commit"),
    fsync: await show("fsync"),
    settings,
  };
  await database.end();
  console.log(JSON.stringify(measured));
}

/** Fills the queue, starts the workers and waits until every job is completed in the database. */
async function round(queue, url, database, processes, jobs, completedBefore) {
  const enqueueStarted = performance.now();
  await queue.enqueue(url, jobs);
  const enqueueSecs = secondsSince(enqueueStarted);
  // What autovacuum does for a queue in service: without it the planner knows nothing of the new rows.
  await database.query(`vacuum analyze ${queue.table}`);
  const waiting = await count(database, queue.table, queue.unfinished);
  expectEqual("jobs waiting", waiting, jobs);

  const drainStarted = performance.now();
  await handledByAll(processes, jobs);
  // Handled is not completed: the last completions may still be under way.
  const unfinished = `select exists (select from ${queue.table} where ${queue.unfinished}) as some`;
  const completionStarted = performance.now();
  while ((await database.query(unfinished)).rows[0].some) {
    if (performance.now() - completionStarted > STANDSTILL_MS) {
      throw new Error(`jobs were handled and not completed for ${STANDSTILL_MS} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, COMPLETION_PERIOD_MS));
  }
  const drainSecs = secondsSince(drainStarted);

  await Promise.all(processes.map((child) => ask(child, "stop", "stopped")));
  expectEqual("jobs not completed", await count(database, queue.table, queue.unfinished), 0);
  const stay = queue.completedStay ? completedBefore + jobs : 0;
  expectEqual("jobs in the table", await count(database, queue.table, "true"), stay);
  return { enqueueSecs, drainSecs };
}

/** Starts the workers of all processes; ends once they handled `jobs` in sum. */
function handledByAll(processes, jobs) {
  return new Promise((resolve, reject) => {
    let handled = 0;
    let standstill;
    const settle = (outcome) => {
      clearTimeout(standstill);
      processes.forEach((child) => child.off("message", counted).off("exit", exited));
      outcome();
    };
    const watch = () => {
      clearTimeout(standstill);
      const stands = () => reject(new Error(`${handled} of ${jobs} jobs were handled, then none for ${STANDSTILL_MS} ms`));
      standstill = setTimeout(() => settle(stands), STANDSTILL_MS);
    };
    const counted = (message) => {
      handled += message.handled ?? 0;
      watch();
      // A job handled twice would end the wait too early; the counts in the tables would then show it.
      if (handled >= jobs) settle(resolve);
    };
    const exited = (code) => settle(() => reject(endedWith(code)));
    watch();
    for (const child of processes) {
      child.on("message", counted).on("exit", exited);
      child.send("start");
    }
  });
}

function ask(child, question, answer) {
  return new Promise((resolve, reject) => {
    const settle = (outcome) => {
      child.off("message", answered).off("exit", exited);
      outcome();
    };
    const answered = (message) => {
      if (message === answer) settle(resolve);
    };
    const exited = (code) => settle(() => reject(endedWith(code)));
    child.on("message", answered).on("exit", exited);
    child.send(question);
  });
}

function endedWith(code) {
  return new Error(`a worker process ended with ${code}`);
}

/** A worker process: loaded once, so that the measured round runs compiled code, and started for each round. */
function work(queue, url, settings) {
  let handled = 0;
  let told = 0;
  let stop;
  const tell = () => {
    if (handled === told) return;
    process.send({ handled: handled - told });
    told = handled;
  };
  setInterval(tell, COUNT_PERIOD_MS).unref();
  process.on("disconnect", () => process.exit());
  process.on("message", async (message) => {
    if (message === "start") {
      stop = await queue.start(url, settings, (jobs) => {
        handled += jobs;
      });
    } else {
      await stop();
      process.send("stopped");
    }
  });
}

async function count(database, table, condition) {
  const { rows } = await database.query(`select count(*)::int as jobs from ${table} where ${condition}`);
  return rows[0].jobs;
}

function expectEqual(what, found, expected) {
  if (found !== expected) {
    throw new Error(`${what}: ${found} instead of ${expected}`);
  }
}

function wholeNumber(name, otherwise) {
  const value = Number(process.env[name] ?? otherwise);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new Error(`${name} must be a whole number above 0`);
  }
  return value;
}

function secondsSince(started) {
  return (performance.now() - started) / 1_000;
}

/** Of the installed package, not of the wish. */
function version(library) {
  return JSON.parse(readFileSync(new URL(`node_modules/${library}/package.json`, import.meta.url), "utf8")).version;
}
