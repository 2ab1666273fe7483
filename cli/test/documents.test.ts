// Documents at the command line: read whole, edited in an editor, merged with what others wrote meanwhile, and never
// lost.

import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { until } from "../../server/test/editing.ts";
import { service, world } from "../../server/test/world.ts";
import { type Home, signedIn } from "./program.ts";

const running = service();

/** An editor that waits until the file is gone before it changes the day. */
const slow = (file: string) =>
  `touch ${file}; while [ -e ${file} ]; do sleep 0.05; done; sed -i 's/Mondays/Tuesdays/' "$1"\n`;

describe("svc doc", () => {
  const HANDBOOK = "# Plan\n\nWe meet on Mondays.\n\nWe eat cake.\n\n- one\n- two";
  async function library(markdown = HANDBOOK) {
    const place = await world(running);
    const home = await signedIn(running, place);
    const [api, at] = [clientOf(place.owner), { workspace_id: place.workspaceId }];
    const { id: document_id } = await api.createDocument({ ...at, title: "Handbook", markdown });
    const says = async () => api.getDocumentMarkdown({ document_id });
    const write = async (text: string) => {
      await api.replaceDocumentMarkdown({ document_id, markdown: text }, { at: (await says()).content_revision });
    };
    const approve = ({ id, version, digest }: Awaited<ReturnType<Home["json"]>>) =>
      api.reviewChangeSet({ ...at, id, version, digest, decision: "approve" });
    /** An editor that does this to its file, by itself. */
    const editor = (shell: string) => {
      const file = join(home.dir, "editor");
      writeFileSync(file, `#!/bin/sh\n${shell}\n`, { mode: 0o755 });
      return { EDITOR: file };
    };
    return { home, place, says, write, approve, editor };
  }

  test("list and view: as text and as Markdown, whole, however long", async () => {
    const long = Array.from({ length: 700 }, (_, at) => `Paragraph ${at} says a thing or two about gears.`).join(
      "\n\n",
    );
    const { home } = await library(long);
    expect((await home.json(["doc", "list"])).items).toMatchObject([{ path: "handbook", title: "Handbook" }]);
    expect((await home.svc(["doc", "view", "handbook"])).out).toContain("Paragraph 699");
    expect((await home.svc(["doc", "view", "handbook", "--markdown"])).out.trim()).toBe(long);
    expect((await home.svc(["doc", "view", "nowhere"])).code).toBe(8);
  });

  test("edit: opens the editor, proposes a patch, and applied it says what was written; blocks come, change and go", async () => {
    const { home, says, approve, editor } = await library();
    const change = `sed -i 's/Mondays/Tuesdays/; s/^We eat cake.$//; $a\\\\nThe end.' "$1"`;
    const set = await home.json(["doc", "edit", "handbook"], { env: editor(change) });
    expect(set).toMatchObject({ changed: true, state: "proposed", review_url: expect.stringContaining("/review") });
    expect((await says()).markdown, "nothing has happened yet").toContain("Mondays");
    await approve(set);
    expect((await home.svc(["changes", "apply", set.id])).code).toBe(0);
    expect((await says()).markdown).toBe("# Plan\n\nWe meet on Tuesdays.\n\n- one\n- two\n\nThe end.");
  });

  test("edit: changes one of two paragraphs that say the same, and writes where nothing stood", async () => {
    for (const [before, after] of [
      ["Same.\n\nSame.\n\nSame.", "Same.\n\nOther.\n\nSame."],
      ["", "# First\n\nWords."],
    ] as const) {
      const { home, says, approve } = await library(before);
      const set = await home.json(["doc", "edit", "handbook", "--body-file", "-"], {
        stdin: after.replaceAll("\n", "\r\n"),
      });
      await approve(set);
      expect((await home.svc(["changes", "apply", set.id])).code).toBe(0);
      expect((await says()).markdown).toBe(after);
    }
  });

  test("edit: what is only saved is no change, and an editor that fails changes nothing", async () => {
    const { home, editor } = await library();
    expect(await home.json(["doc", "edit", "handbook"], { env: editor("true") })).toEqual({
      path: "handbook",
      changed: false,
    });
    expect((await home.svc(["doc", "edit", "handbook"], { env: editor("exit 3") })).code).toBe(1);
    const none = await home.svc(["doc", "edit", "handbook"]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("--body-file")]);
  });

  test("edit: what somebody else wrote meanwhile is merged in, where it is elsewhere", async () => {
    const { home, write, says, approve } = await library();
    const meanwhile = join(home.dir, "editing");
    const env = { EDITOR: `sh ${join(home.dir, "slow.sh")}` };
    writeFileSync(join(home.dir, "slow.sh"), slow(meanwhile));
    const editing = home.json(["doc", "edit", "handbook"], { env });
    await until("the editor is open", () => existsSync(meanwhile));
    await write(HANDBOOK.replace("cake", "bread"));
    rmSync(meanwhile);
    const set = await editing;
    await approve(set);
    expect((await home.svc(["changes", "apply", set.id])).code).toBe(0);
    expect((await says()).markdown).toBe(HANDBOOK.replace("Mondays", "Tuesdays").replace("cake", "bread"));
  });

  test("edit: a text that cannot be sent is kept, and it says where and how to send it", async () => {
    const { home } = await library();
    const through: Socket[] = [];
    const proxy = createServer((socket) => {
      through.push(socket);
      const { hostname, port } = new URL(running.url);
      const on = connect(Number(port), hostname === "localhost" ? "127.0.0.1" : hostname);
      for (const side of [socket, on]) side.on("error", () => {});
      socket.pipe(on).pipe(socket);
      onTestFinished(() => void on.destroy());
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const file = join(home.config, "profiles/test.json");
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), url }));
    const meanwhile = join(home.dir, "editing");
    writeFileSync(join(home.dir, "slow.sh"), slow(meanwhile));
    const editing = home.svc(["doc", "edit", "handbook"], { env: { EDITOR: `sh ${join(home.dir, "slow.sh")}` } });
    await until("the editor is open", () => existsSync(meanwhile));
    for (const socket of through) socket.destroy();
    proxy.close();
    rmSync(meanwhile);
    const { code, err } = await editing;
    expect(code).toBe(1);
    const kept = /svc doc edit handbook --body-file (\S+)/.exec(err)?.[1] as string;
    expect(readFileSync(kept, "utf8")).toContain("Tuesdays");
  });

  test("edit: where both changed the same, both texts are left in a file, and it says where: 5", async () => {
    const { home, write } = await library();
    const meanwhile = join(home.dir, "editing");
    const env = { EDITOR: `sh ${join(home.dir, "slow.sh")}` };
    writeFileSync(join(home.dir, "slow.sh"), slow(meanwhile));
    const editing = home.svc(["doc", "edit", "handbook"], { env });
    await until("the editor is open", () => existsSync(meanwhile));
    await write(HANDBOOK.replace("Mondays", "Fridays"));
    rmSync(meanwhile);
    const { code, err } = await editing;
    expect(code).toBe(5);
    const file = /Both texts are in (\S+)\.$/m.exec(err)?.[1] as string;
    const out = readFileSync(file, "utf8");
    expect(out).toContain("Tuesdays");
    expect(out).toContain("Fridays");
    const marked = await home.svc(["doc", "edit", "handbook", "--body-file", file]);
    expect([marked.code, marked.err]).toEqual([2, expect.stringContaining("marks")]);
  });
});
