// A server process of a storm: killed with SIGKILL and restarted. It records each unexpected exit.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

export class Server {
  port: number | null = null;
  /** Unexpected exits. */
  readonly ended: string[] = [];
  private child: ChildProcess | null = null;
  private readonly program: string[];
  readonly env: Record<string, string>;
  constructor(program: string[], env: Record<string, string>) {
    this.program = program;
    this.env = env;
  }
  async start() {
    const child = spawn(process.execPath, this.program, {
      cwd: root,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.child = child;
    let output = "";
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output = (output + chunk).slice(-2000);
        const found = /API +http:\/\/\S+:(\d+)\/api\/v1/.exec(output)?.[1];
        if (found === undefined) return;
        this.port ??= Number(found);
        resolve();
      };
      child.stdout?.on("data", read);
      child.stderr?.on("data", read);
      child.once("exit", (code) => {
        if (this.child === child) this.ended.push(`code ${code}: ${output}`);
        reject(new Error(`a server ended with ${code}: ${output}`));
      });
    });
  }
  async kill() {
    const { child } = this;
    [this.child, this.port] = [null, null];
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }
}
