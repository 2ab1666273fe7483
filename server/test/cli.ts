// The command line for tests: somebody with a personal API token, and what its answers must not hold.
import { expect } from "vitest";
import { newKey, type Options, type Person, type TestService, type World } from "./world.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** Members of a problem that are ids by what they are for. */
const ALLOWED = new Set(["correlation_id", "choices"]);

function withoutIds(value: unknown, at: string): void {
  if (typeof value === "string") expect(UUID.test(value), `${at} holds a UUID: ${value.slice(0, 80)}`).toBe(false);
  if (value === null || typeof value !== "object") return;
  for (const [name, part] of Object.entries(value)) if (!ALLOWED.has(name)) withoutIds(part, `${at}/${name}`);
}

/** Calls under /cli as this person; no answer may hold a UUID. Gives them a username that is none itself. */
export async function commandLine(running: TestService, home: World, person: Person = home.owner, scopes?: string[]) {
  const token = await home.token(scopes, person);
  const username = `u${person.userId.replaceAll("-", "")}`.slice(-30);
  await running.sql("update users set username = $2 where id = $1", [person.userId, username]);
  const call = async (method: string, path: string, options: Options = {}) => {
    const answer = await person.bearer(token, method, `/cli${path}`, options);
    withoutIds(answer.body, `${method} ${path}`);
    return answer;
  };
  return {
    username,
    get: (path: string) => call("GET", path),
    post: (path: string, options: Options = {}) => call("POST", path, { key: newKey(), ...options }),
    /** Every page of a list. */
    async pages(path: string, limit: number) {
      const items = [];
      for (let cursor = ""; ; ) {
        const { body } = await call("GET", `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${cursor}`);
        items.push(...body.items);
        if (!body.has_more) return items;
        cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
      }
    },
  };
}
