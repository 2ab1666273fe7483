// Calls any operation of the interface, for operations without a command. A write has an idempotency key, so that it
// can be retried.
import { newKey } from "@svc/client";
import type { Run } from "../command.ts";
import { openSession } from "../credentials/session.ts";
import { EXIT, exitOf, Failure, usage } from "../failure.ts";
import { type Input, textFrom } from "../input.ts";
import { send } from "../send-request.ts";

const PATIENCE_MS = 60_000;

/** Parses `-f name=text` and `-j name=JSON`. They become query parameters if the request has no body. */
function fieldsOf(input: Input): Record<string, unknown> {
  const pair = (given: string) => {
    const at = given.indexOf("=");
    if (at < 1) throw usage(`${given} is no field.`, "Write it so: -f title=Gears, or -j count=3");
    return [given.slice(0, at), given.slice(at + 1)] as const;
  };
  const parsed = (name: string, text: string) => {
    try {
      return JSON.parse(text);
    } catch {
      throw usage(`${name} is no JSON: ${text}`);
    }
  };
  return Object.fromEntries([
    ...input.list("field").map(pair),
    ...input.list("json-field").map((given) => {
      const [name, text] = pair(given);
      return [name, parsed(name, text)] as const;
    }),
  ]);
}

export const api: Run = async (input) => {
  const session = openSession(input);
  const method = input.needed("method").toUpperCase();
  const asked = input.needed("path");
  const typed = asked.includes("{workspace}") ? asked.replace("{workspace}", await session.workspaceId()) : asked;
  const path = `/${typed.replace(/^\/+/, "").replace(/^api\/v1\/?/, "")}`;
  const target = new URL(`${session.url}/api/v1${path}`);
  // Never sends the token to another origin.
  if (target.origin !== new URL(session.url).origin || !target.pathname.includes("/api/v1/"))
    throw usage(`${typed} is not in the interface.`);
  const [fields, file] = [fieldsOf(input), input.text("input")];
  const reads = method === "GET" || method === "HEAD";
  if (reads) for (const [name, value] of Object.entries(fields)) target.searchParams.set(name, String(value));
  const body =
    file !== undefined
      ? textFrom(input, file)
      : !reads && Object.keys(fields).length > 0
        ? JSON.stringify(fields)
        : undefined;
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (!reads) headers["idempotency-key"] = input.text("key") ?? newKey();
  const revision = input.text("revision");
  if (revision !== undefined) headers["if-match"] = `"${revision.replaceAll('"', "")}"`;
  for (const header of input.list("header")) {
    const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(header) ?? [];
    if (!name || /^authorization$/i.test(name)) throw usage(`${header} is no header that can be sent.`);
    headers[name.toLowerCase()] = value as string;
  }
  const ask = async (refused: boolean) => {
    headers.authorization = `Bearer ${await session.token(refused)}`;
    return send(target, { method, headers, body, signal: AbortSignal.timeout(PATIENCE_MS) }).catch((error) => {
      throw new Failure(EXIT.failed, `The service does not answer (${error.code ?? error.message}).`);
    });
  };
  let answer = await ask(false);
  if (answer.status === 401) answer = await ask(true);
  if (input.has("include"))
    input.stdout.write(
      `HTTP ${answer.status}\n${[...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n")}\n\n`,
    );
  const text = await answer.text();
  const isJson = /\bjson\b/.test(answer.headers.get("content-type") ?? "");
  const parsed = isJson && text !== "" ? JSON.parse(text) : undefined;
  const exit = answer.ok || answer.status === 304 ? 0 : exitOf({ status: answer.status, code: parsed?.code ?? "" });
  // A refusal has no result, so it has none of the requested fields.
  if (exit !== 0 && (input.text("jq") ?? input.text("json") ?? "all") !== "all")
    throw new Failure(exit, `The service answered ${answer.status}: ${parsed?.detail ?? text}`);
  return {
    data: parsed ?? { text },
    text: (screen) => (parsed !== undefined && screen.columns !== null ? JSON.stringify(parsed, null, 2) : text),
    exit,
  };
};
