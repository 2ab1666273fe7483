// npm run jobs: lists background jobs that failed at every attempt, with their last error. `-- retry <id>` or `-- retry
// all` retries them. Works on DATABASE_URL, or on the embedded database of DATA_DIR, whether the service runs or not.
import { countExhausted, listExhausted, retryExhausted } from "../server/src/platform/background/exhausted-jobs.ts";
import { onDatabase } from "./on-database.ts";

await onDatabase(async (client) => {
  const [verb, id = ""] = process.argv.slice(2);
  if (verb === "retry") {
    if (id !== "all" && !/^\d{1,18}$/.test(id)) return "Say which: npm run jobs -- retry <id>, or retry all";
    const tried = await retryExhausted(client, id === "all" ? null : id);
    if (tried === 0 && id !== "all") return `No job ${id} failed for good; npm run jobs lists those that did`;
    console.log(`${tried} to be tried again${tried > 0 ? " as soon as the service runs" : ""}.`);
    return null;
  }
  const jobs = await listExhausted(client);
  for (const { id, name, attempts, failed_at, last_error } of jobs)
    console.log(
      `${id}  ${name}  failed ${attempts} times, last ${failed_at.toISOString().slice(0, 19)}Z: ` +
        `${(last_error ?? "").split("\n")[0]}`,
    );
  const all = await countExhausted(client);
  if (all === 0) console.log("No job has failed for good.");
  else if (all > jobs.length) console.log(`These are the last ${jobs.length} of ${all}.`);
  return null;
});
