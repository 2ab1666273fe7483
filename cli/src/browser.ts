// Opens a URL in the browser. Callers print the URL as well, for machines without a browser.
import { spawn } from "node:child_process";
import type { Runtime } from "./runtime.ts";

const opener = (env: NodeJS.ProcessEnv): string[] => {
  if (env.BROWSER) return env.BROWSER.split(" ");
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
};

/** Resolves to true if a program to open it with was found. */
export function openBrowser(url: string, { env, cwd }: Pick<Runtime, "env" | "cwd">): Promise<boolean> {
  const [program = "", ...args] = opener(env);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true, env, cwd });
    child.on("error", () => resolve(false));
    child.on("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
