// Runs Git for the tests of one worker, as a small process: a fork copies the page tables of the process that forks,
// which takes 57 ms of a worker with 2.5 GB and 1 ms of this one. It serves the bare repositories below ROOT through
// `git http-backend`, and runs programs that a test waits for. Plain JavaScript, because the compiler would stay in its
// memory. Environment: ROOT, BACKEND (path of git-http-backend).
import { execFileSync, spawn } from "node:child_process";
import { constants, openSync, rmSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

const { ROOT = "", BACKEND = "", ...environment } = process.env;
const [requestPipe, replyPipe] = [join(ROOT, "requests.pipe"), join(ROOT, "replies.pipe")];

/** Runs a program to its end. */
function run({ program, args, cwd, env, input }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...environment, ...env } });
    const parts = { out: [], err: [] };
    child.stdout.on("data", (bytes) => parts.out.push(bytes));
    child.stderr.on("data", (bytes) => parts.err.push(bytes));
    child.stdin.on("error", () => {});
    child.stdin.end(input === undefined ? "" : input);
    child.on("error", (error) => resolve({ status: -1, out: "", err: String(error) }));
    child.on("close", (status) =>
      resolve({ status, out: Buffer.concat(parts.out).toString(), err: Buffer.concat(parts.err).toString() }),
    );
  });
}

// Programs that the worker waits for without serving anything else: it writes a line, and blocks until it has read one.
execFileSync("mkfifo", [requestPipe, replyPipe]);
// Opened for both directions: opening one end alone would wait for the other.
const replies = openSync(replyPipe, "r+");
// Not a file stream: a thread that blocks in a read keeps the process from ending.
const requests = new Socket({ fd: openSync(requestPipe, constants.O_RDWR | constants.O_NONBLOCK), writable: false });
createInterface({ input: requests }).on("line", async (line) => {
  const answer = Buffer.from(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
  for (let written = 0; written < answer.length; ) written += writeSync(replies, answer, written);
});

// Every request is answered as the worker decides, and its answer ends once the worker agrees.
const waiting = new Map();
let asked = 0;
const ask = (question) =>
  new Promise((resolve) => {
    waiting.set(++asked, resolve);
    process.send({ ...question, id: asked });
  });
process.on("message", async ({ id, answer, command }) => {
  if (command) process.send({ id, result: await run(command) });
  else {
    waiting.get(id)(answer);
    waiting.delete(id);
  }
});
process.on("disconnect", () => {
  rmSync(ROOT, { recursive: true, force: true, maxRetries: 10 });
  process.exit();
});

const server = createServer(async (request, response) => {
  const line = `${request.method} ${request.url}`;
  const status = await ask({ line, authorization: request.headers.authorization ?? "" });
  if (status !== 0) {
    const headers = status === 401 ? { "www-authenticate": 'Basic realm="git"' } : {};
    return void response.writeHead(status, headers).end();
  }
  serve(request, response, () => ask({ served: line }));
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));

/** What CGI says: headers, an empty line, the body. */
function serve(request, response, done) {
  const { pathname, search } = new URL(request.url, "http://localhost");
  const protocol = request.headers["git-protocol"];
  const child = spawn(BACKEND, [], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: ROOT,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: "kim",
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      ...(protocol && { GIT_PROTOCOL: protocol }),
    },
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => {});
  let head = Buffer.alloc(0);
  let begun = false;
  child.stdout.on("data", (bytes) => {
    if (begun) return void response.write(bytes);
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    begun = true;
    for (const line of head.toString("latin1", 0, end).split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  child.on("close", async () => {
    await done();
    response.end();
  });
}
