// A client over plain fetch, for a service of any version: it keeps cookies, sends the CSRF token, repeats a request to
// which the service answers 503, and throws if an answer is not a success.
import { setTimeout as sleep } from "node:timers/promises";

const MOST_REPEATS = 60;
/** `method` and a path below /api/v1; ends with the JSON of the answer. */
// biome-ignore lint/suspicious/noExplicitAny: an answer of any operation.
export type Visitor = (method: string, path: string, body?: object) => Promise<any>;

export function visitor(api: string): Visitor {
  const jar = new Map<string, string>();
  return async (method, path, body) => {
    const headers = {
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
      "x-csrf-token": jar.get("__Host-svc_csrf") ?? "",
      ...(body && { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }),
    };
    const send = () => fetch(api + path, { method, headers, body: JSON.stringify(body) });
    let answer = await send();
    for (let left = MOST_REPEATS; answer.status === 503 && left > 0; left--) {
      // Wait: the service names the time in its answer.
      await sleep(1000 * Number(answer.headers.get("retry-after")));
      answer = await send();
    }
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
}

export const account = { email: "ada@example.com", password: "correct horse battery staple" };
/** A new account with a Project; ends with the Project's id. */
export async function settle(ask: Visitor): Promise<string> {
  await ask("POST", "/auth/register", { ...account, display_name: "Ada" });
  const { id } = await ask("POST", "/workspaces/bootstrap", { name: "Engines", slug: "engines" });
  return (await ask("POST", `/workspaces/${id}/projects`, { key: "ENG", name: "Engine" })).id;
}
export async function titlesIn(ask: Visitor, projectId: string): Promise<string[]> {
  const { items } = await ask("GET", `/projects/${projectId}/tasks`);
  return items.map(({ title }: { title: string }) => title).sort();
}
