// A real push to a real Git server, and what it delivers is made of what git has then: the branch, the commits that are
// new, and who wrote them.
import { afterAll, expect, test } from "vitest";
import { atForge } from "../../../test/connected-forge.ts";
import { cloneOf, startGitServer } from "../../../test/git-server.ts";
import { openForge, type Repository, type Somebody } from "../../../test/providers/forges.ts";
import { service } from "../../../test/world.ts";

const forges = await Promise.all((["github", "gitlab", "gitea"] as const).map(openForge));
const server = await startGitServer();
afterAll(() => Promise.all([server.close(), ...forges.map((forge) => forge.server.close())]));
const apps = Object.fromEntries(forges.map(({ key, app }) => [key, app]));
const running = service({ roles: ["api", "worker"], apps });
type Forge = (typeof forges)[number];

const NOTHING = "0".repeat(40);
const refsOf = (folder: string): Map<string, string> => {
  const lines = server
    .git(folder, ["for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"])
    .split("\n");
  return new Map(lines.filter(Boolean).map((line) => line.split(" ") as [string, string]));
};
/** As a forge does behind a push: the branches that it has now, and of those that have changed what is new. */
function afterPushes(forge: Forge, repository: Repository, folder: string, by: Somebody) {
  let before = refsOf(folder);
  return async () => {
    const now = refsOf(folder);
    const known = [...before.values()].map((sha) => `^${sha}`);
    repository.branches = new Set(now.keys());
    for (const [branch, sha] of now) {
      if ((before.get(branch) ?? NOTHING) === sha) continue;
      const format = ["rev-list", "--reverse", "--no-commit-header", "--format=%H%x00%an%x00%B%x01", sha, ...known];
      const commits = server
        .git(folder, format)
        .split("\x01")
        .map((each) => each.trim())
        .filter(Boolean);
      const listed = commits.map((each) => {
        const [id = "", author = "", message = ""] = each.split("\0");
        return { id, author, message };
      });
      expect(await forge.pushed(repository, running.url, branch, listed, by)).toEqual([200]);
    }
    for (const branch of before.keys())
      if (!now.has(branch)) expect(await forge.pushed(repository, running.url, branch, [], by)).toEqual([200]);
    before = now;
  };
}

test.each(forges.map((forge) => [forge.key, forge] as const))(
  "%s: what is pushed stands at the Task that it names",
  async (_key, forge) => {
    const place = await atForge(running, forge);
    const { task, repository } = place;
    const url = server.create();
    server.token = null;
    const clone = cloneOf(server, url);
    const run = (...args: string[]) => clone.run(...args).trim();
    run("remote", "set-url", "origin", url);
    const ada = forge.meet();
    const deliver = afterPushes(forge, repository, server.folderOf(url), ada);
    const pushing = async (...args: string[]) => {
      const pushes: Promise<void>[] = [];
      server.afterwards = (line) => {
        if (/^POST .*\/git-receive-pack$/.test(line)) pushes.push(deliver());
      };
      await server.gitBeside(clone.folder, ["push", "-q", ...args]);
      await Promise.all(pushes);
      expect(pushes).toHaveLength(1);
    };
    clone.write("README.md", "Hello\n");
    run("add", "-A");
    run("commit", "-q", "-m", "Begin");
    await pushing("origin", "main");
    await place.worked(1);
    expect(await place.entities()).toEqual([]);

    const branch = `feature/${task.code.toLowerCase()}-mend`;
    run("checkout", "-q", "-b", branch);
    clone.write("README.md", "Hello, all\n");
    run("commit", "-q", "-a", "-m", "Mend it", "-m", `Closes ${task.code}`);
    run("commit", "-q", "--allow-empty", "-m", "Of no Task");
    const sha = run("rev-parse", "HEAD~1");
    await pushing("origin", branch);
    await place.worked(2);
    const shown = async () =>
      (await place.entities()).map(({ kind, title, state, author_name, url: page }: Record<string, string>) => [
        ...[kind, title, state, author_name, page],
      ]);
    const home = `${forge.server.origin}/${repository.name}`;
    expect((await shown()).sort()).toEqual([
      ["branch", branch, "open", null, expect.stringContaining(`${home}/`)],
      ["commit", "Mend it", "pushed", "Kim", `${home}/commit/${sha}`],
    ]);
    await pushing("origin", "--delete", branch);
    await place.worked(3);
    expect(await shown()).toContainEqual(["branch", branch, "deleted", null, expect.any(String)]);
    clone.remove();
  },
);
