// Records when a credential was last used. Reads write nothing, so uses are collected here and flushed in one statement
// every few seconds; a crash loses seconds of a seven-day idle limit. The authentication query requests an update at
// most every five minutes.
import type { Pool } from "./db.ts";

const TOUCH = "update credentials set last_used_at = now() where id = any($1::uuid[])";

export function credentialTouch(writer: Pool, everyMs = 5000) {
  const used = new Set<string>();
  async function flush() {
    if (used.size === 0) return;
    const ids = [...used];
    used.clear();
    await writer.use((tx) => tx.rows(TOUCH, [ids.sort()])).catch(() => {});
  }
  const timer = setInterval(flush, everyMs);
  timer.unref();
  return {
    touch: (id: string) => {
      used.add(id);
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
