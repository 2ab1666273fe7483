// Finds the browser for the tests: CHROMIUM (a path), then a Chrome, Chromium or Edge of the system, then the one in
// npm, which exists for linux x64 only. Nothing is downloaded, and nothing is unpacked here. The headless shell is the
// same engine without the desktop's windows and profiles around it, and takes a third of the CPU time.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const shells = ["chromium-headless-shell", "chrome-headless-shell"];
const onPath = [...shells, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const applications = [
  "Google Chrome.app/Contents/MacOS/Google Chrome",
  "Chromium.app/Contents/MacOS/Chromium",
  "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];
const programs = [
  "Google/Chrome/Application/chrome.exe",
  "Chromium/Application/chrome.exe",
  "Microsoft/Edge/Application/msedge.exe",
];

const places = {
  linux: ({ PATH = "" }) => onPath.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name))),
  darwin: () => applications.flatMap((name) => [join("/Applications", name), join(homedir(), "Applications", name)]),
  win32: (env) =>
    programs.flatMap((name) =>
      [env.ProgramFiles, env["ProgramFiles(x86)"], env.LOCALAPPDATA]
        .filter(Boolean)
        .map((folder) => join(folder, name)),
    ),
};

/**
 * `{ path }`, `{ packed: true }` for the one in npm, or null. A CHROMIUM that is not there is a mistake, never passed
 * over.
 * @param {Record<string, string | undefined>} env
 * @param {{ platform: string, arch: string }} machine
 */
export function findChromium(env = process.env, machine = process) {
  const { platform, arch } = machine;
  if (env.CHROMIUM) {
    if (!existsSync(env.CHROMIUM)) throw new Error(`CHROMIUM: there is no ${env.CHROMIUM}; set the path of a browser`);
    return { path: env.CHROMIUM };
  }
  const path = places[platform]?.(env).find((place) => existsSync(place));
  if (path) return { path };
  return platform === "linux" && arch === "x64" ? { packed: true } : null;
}

export const HOW_TO_GET_ONE =
  "install Chrome, Chromium or Edge (Debian: apt-get install chromium-headless-shell), or set CHROMIUM to the " +
  "path of one";
