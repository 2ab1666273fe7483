// `svc complete`, which shells call at every Tab: prints one candidate per line, its help behind a tab, or `:files`. It
// never fails, never prompts and never renews a token.
import type { Offered } from "../../command.ts";
import { type Known, known } from "../../completion/completion-cache.ts";
import { type Candidate, fitting, wantedAt } from "../../completion/completion-candidates.ts";
import { profileNames, readPlace } from "../../credentials/profiles.ts";
import { safeLine } from "../../output/screen.ts";
import type { Runtime } from "../../runtime.ts";

/** Maximum number of candidates printed. */
const MOST = 200;

export async function complete([at, ...words]: readonly string[], runtime: Runtime): Promise<void> {
  const { env, stdout, stderr } = runtime;
  try {
    if (at === "learn") return await (await import("./learn.ts")).learn(runtime, words[0]);
    const { offered, typed, before, profile, about } = wantedAt(words, Number(at));
    if (offered === "file") return void stdout.write(":files\n");
    const all = typeof offered === "string" ? await live(offered, runtime, profile, about) : offered;
    const lines = fitting(all, typed)
      .slice(0, MOST)
      .map(([value, help]) => `${before}${safeLine(value)}\t${safeLine(help)}\n`);
    stdout.write(lines.join(""));
  } catch (error) {
    if (env.SVC_DEBUG) stderr.write(`${error}\n`);
  }
}

async function live(
  kind: Offered,
  runtime: Runtime,
  profile: string | undefined,
  about: readonly string[],
): Promise<readonly Candidate[]> {
  const { env } = runtime;
  if (kind === "profile") return profileNames(env).map((name) => [name, readPlace(env, name)?.url ?? ""]);
  const found = await known(runtime, profile);
  if (!found) return [];
  if (kind === "status") return statusesOf(found, about).map((name) => [name, ""]);
  const lists: Partial<Record<Offered, Candidate[]>> = {
    task: found.tasks,
    project: found.projects,
    document: found.documents,
    workspace: found.workspaces,
  };
  return lists[kind] ?? [];
}

/** Statuses of the Project that the command line names, or of all Projects. */
function statusesOf({ statuses }: Known, about: readonly string[]): string[] {
  const own = about.map((word) => statuses[word.toUpperCase().replace(/-\d+$/, "")]).find(Boolean);
  return own ?? [...new Set(Object.values(statuses).flat())];
}
