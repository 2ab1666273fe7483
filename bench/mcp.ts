// npm run bench -- --only mcp: compares tools with the equivalent plain operations over the same kind of connection, in
// turns; and counts the tokens that a client pays for tools/list and for ten typical answers.
import { Agent, request } from "node:http";
import { encode } from "gpt-tokenizer";
import { csrfTokenOf, newId } from "../server/src/platform/wire/ids.ts";
import type { Data } from "./data.ts";
import { ownerOn } from "./lifecycle.ts";
import { median } from "./table.ts";

const CONNECTIONS = 16;
interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: object;
}
/** The same work as a tool call and as an operation. */
interface Pair {
  name: string;
  tool(n: number): Request;
  plain(n: number): Request;
}
interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
}

function asked(port: number, agent: Agent, { method, path, headers, body }: Request): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, agent, method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => {
        if (answer.statusCode !== 200 && answer.statusCode !== 201)
          reject(new Error(`${method} ${path} answered ${answer.statusCode} ${text}`));
        else if (text.includes('"isError":true')) reject(new Error(text));
        else resolve(text);
      });
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

async function driven(port: number, make: (n: number) => Request, seconds: number): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  let n = 0;
  const worker = async () => {
    for (let at = performance.now(); at < end; at = performance.now()) {
      await asked(port, agent, make(n++));
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const took = (performance.now() - began) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const share = (part: number) => times[Math.floor((times.length - 1) * part)] ?? 0;
  return { perSecond: times.length / took, p50: share(0.5), p99: share(0.99) };
}

export async function measureMcp(port: number, data: Data, seconds: number, rounds: number): Promise<void> {
  const owner = ownerOn(port, data);
  const { token } = await owner<{ token: string }>("POST", "mcp-service-credentials", {
    name: "Bench",
    scopes: ["svc:read", "svc:write"],
    project_ids: [],
  });
  const message = (method: string, params: object): Request => ({
    method: "POST",
    path: "/mcp",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: { jsonrpc: "2.0", id: 1, method, params },
  });
  const tool = (name: string, args: object) => message("tools/call", { name, arguments: args });
  const session = data.people[0]?.session ?? "";
  const plain = (method: string, path: string, body?: object): Request => ({
    method,
    path: `/api/v1${path}`,
    headers: {
      cookie: `__Host-svc_session=${session}`,
      "x-csrf-token": csrfTokenOf(session),
      ...(body && { "content-type": "application/json", "idempotency-key": newId() }),
    },
    body,
  });
  const sample = await Promise.all(
    data.taskIds.slice(0, 200).map((id) => owner<{ id: string; code: string }>("GET", `../../tasks/${id}`)),
  );
  const taskAt = (n: number) => sample[n % sample.length] as (typeof sample)[number];
  const within = `/workspaces/${data.workspaceId}`;
  const pairs: Pair[] = [
    {
      name: "a Task with its context",
      tool: (n) => tool("get_task", { code: taskAt(n).code }),
      plain: (n) => plain("GET", `${within}/tasks/${taskAt(n).id}/context`),
    },
    {
      name: "20 Tasks by filter",
      tool: () => tool("list_tasks", { priority: ["high"], sort: "updated" }),
      plain: () =>
        plain("GET", `${within}/tasks?priority=high&sort=updated&limit=20&include=status,assignee,labels,milestone`),
    },
    {
      name: "a comment",
      tool: (n) =>
        tool("comment", { code: taskAt(n).code, markdown: `A remark, number ${n}.`, key: `bench-${newId()}` }),
      plain: (n) => plain("POST", `/tasks/${taskAt(n).id}/comments`, { markdown: `A remark, number ${n}.` }),
    },
  ];
  console.log(`\nTools beside the plain operations, ${CONNECTIONS} connections, the median of ${rounds} turns:`);
  for (const { name, ...sides } of pairs) {
    const found = { tool: [] as Measured[], plain: [] as Measured[] };
    for (const side of ["tool", "plain"] as const) await driven(port, sides[side], 2);
    for (let round = 0; round < rounds; round++)
      for (const side of round % 2 === 0 ? (["tool", "plain"] as const) : (["plain", "tool"] as const))
        found[side].push(await driven(port, sides[side], seconds));
    const of = (side: keyof typeof found, field: keyof Measured) => median(found[side].map((each) => each[field]));
    const told = (side: keyof typeof found) =>
      `${of(side, "perSecond").toFixed(0)}/s, p50 ${of(side, "p50").toFixed(1)} ms, ` +
      `p99 ${of(side, "p99").toFixed(1)} ms`;
    const ratio = (of("tool", "perSecond") / of("plain", "perSecond")).toFixed(2);
    console.log(`  ${name.padEnd(26)} tool ${told("tool")}; operation ${told("plain")}; ratio ${ratio}`);
  }
  const listing = await driven(port, () => message("tools/list", {}), 2);
  console.log(`  tools/list ${listing.perSecond.toFixed(0)}/s, p99 ${listing.p99.toFixed(1)} ms`);
  await printTokens(port, (method, params) => message(method, params), sample);
}

async function printTokens(
  port: number,
  message: (method: string, params: object) => Request,
  tasks: readonly { code: string }[],
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const result = async (method: string, params: object) => {
    const text = await asked(port, agent, message(method, params));
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result;
  };
  const use = async (name: string, args: object) =>
    (await result("tools/call", { name, arguments: args })).content[0].text as string;
  const { tools } = await result("tools/list", {});
  const shown = tools.map(({ outputSchema: _, ...rest }: { outputSchema: unknown }) => rest);
  const count = (value: unknown) => encode(typeof value === "string" ? value : JSON.stringify(value)).length;
  console.log(
    `\nTokens: tools/list of a service ${count(shown)}, with the shapes of answers ${count(tools)}; ` +
      "of typical answers:",
  );
  const [one, other] = tasks.map(({ code }) => code);
  const project = one?.split("-")[0];
  const made = JSON.parse(await use("create_task", { project, title: "Counted" }));
  for (const [name, args] of [
    ["find", { query: "number 19" }],
    ["get_task", { code: one }],
    ["list_tasks", { project }],
    ["list_tasks", { project, limit: 50 }],
    ["get_project", { key: project }],
    ["list_projects", {}],
    ["my_work", {}],
    ["comment", { code: other, markdown: "Counted." }],
    ["advance_task", { code: made.code, revision: made.revision, step: "start" }],
    ["get_receipt", { id: made.command }],
  ] as const)
    console.log(`  ${`${name} ${JSON.stringify(args)}`.slice(0, 60).padEnd(62)} ${count(await use(name, args))}`);
  agent.destroy();
}
