// node bench/tokens.ts: tokens that clients pay for tools/list of our server and of published ones. Those are installed
// from npm into a directory of their own, without install scripts, and queried over standard input with an invalid
// token: only their tool lists are read.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { encode } from "gpt-tokenizer";
import { tools } from "../server/src/assistant/tools/tools.ts";

const others = {
  "@notionhq/notion-mcp-server": { NOTION_TOKEN: "ntn_none", OPENAPI_MCP_HEADERS: "{}" },
  "@makeplane/plane-mcp-server": {
    PLANE_API_KEY: "none",
    PLANE_WORKSPACE_SLUG: "none",
    PLANE_API_HOST_URL: "http://127.0.0.1:9",
  },
};
const PATIENCE_MS = 30_000;
type Listed = Record<string, unknown>[];
const tokens = (listed: Listed) => encode(JSON.stringify(listed)).length;
const withoutOutput = (listed: Listed) => listed.map(({ outputSchema: _, ...rest }) => rest);

function listedBy(program: string, env: Record<string, string>): Promise<Listed> {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, HOME: tmpdir(), ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return new Promise<Listed>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("it did not answer")), PATIENCE_MS);
    child.once("exit", (code) => reject(new Error(`it ended with ${code}`)));
    createInterface(child.stdout).on("line", (line) => {
      const { id, result } = JSON.parse(line);
      if (id === 1) {
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/list", params: {} });
      }
      if (id !== 2) return;
      clearTimeout(late);
      resolve(result.tools);
    });
    const clientInfo = { name: "bench", version: "1.0.0" };
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  }).finally(() => child.kill());
}

const own = tools.map(({ name, description, input, output, annotations }) => ({
  name,
  description,
  inputSchema: input,
  outputSchema: output,
  annotations: { ...annotations, openWorldHint: false },
}));
const told = (name: string, version: string, listed: Listed) =>
  console.log(
    `${name} ${version}: ${listed.length} tools, ${tokens(withoutOutput(listed))} tokens, with output schemas ` +
      `${tokens(listed)}`,
  );
told("svc", "", own);
const folder = mkdtempSync(join(tmpdir(), "svc-tokens-"));
try {
  for (const [name, env] of Object.entries(others))
    try {
      execFileSync("npm", ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", name], {
        stdio: "ignore",
      });
      const home = join(folder, "node_modules", name);
      const { bin, version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
      const program = typeof bin === "string" ? bin : (Object.values(bin)[0] as string);
      told(name, version, await listedBy(join(home, program), env));
    } catch (error) {
      console.log(`${name}: not measured (${(error as Error).message.split("\n")[0]})`);
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
