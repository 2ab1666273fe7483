// Writing in a real browser: two people in one text, Markdown as it is typed and pasted, tables, things to do, mentions
// and pictures, and nothing that was typed is lost while the service is away.

import { expect, onTestFinished, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { anotherProcess } from "../../server/test/another-process.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { smallPicture } from "../../server/test/pictures.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, offlineIsExpected, type Seat, seat } from "./app.ts";
import { attacks, watched } from "./xss.ts";

/** A text becomes a revision after 30 s without a change; these tests do not wait that long. */
const running = service({}, { pace: { calmMs: 300 } });
const chromium = browser();

async function workshop(description_markdown = "All of brass") {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears", description_markdown });
  const markdown = async () =>
    (await clientOf(home.owner).getTask({ task_id: task.id })).description_markdown as string;
  return { home, project, task, markdown };
}
const textOf = ({ page }: Seat) => page.getByRole("textbox", { name: "Description" });
async function write(one: Seat, code: string) {
  await one.goTo(`tasks/${code}`);
  await one.settled();
  await one.page.getByRole("button", { name: /description …$/ }).click();
  await textOf(one).waitFor();
  await one.page.locator("[data-text=live]").waitFor();
}
/** Its words, without the names at the cursors of others. */
const says = (one: Seat, words: string) =>
  eventually(async () =>
    expect(
      await textOf(one).evaluate((text) => {
        const copy = text.cloneNode(true) as HTMLElement;
        for (const cursor of copy.querySelectorAll(".rich-cursor")) cursor.remove();
        return copy.textContent;
      }),
    ).toBe(words),
  );
/** Text that the browser keeps until the service acknowledges it. */
const keptTexts = ({ page }: Seat) =>
  page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await settled(indexedDB.open("svc:texts"));
    const texts = await settled(database.transaction("texts").objectStore("texts").getAll());
    database.close();
    return texts.map((text) => new TextDecoder().decode(text)).join();
  });
const saved = ({ page }: Seat) => page.locator("[data-text=live]").waitFor();

test.each([
  ["does not answer", "IDBFactory", "open", "return {};"],
  ["was closed by the browser", "IDBDatabase", "transaction", "throw new DOMException('', 'InvalidStateError');"],
])("a text opens, and is saved, where the storage of the browser %s", async (_, owner, method, instead) => {
  const { home, task, markdown } = await workshop();
  const ada = await seat(running, chromium, home);
  await ada.page.addInitScript(`{
    const { ${method}: usual } = ${owner}.prototype;
    ${owner}.prototype.${method} = function (...values) {
      if ([this.name, values[0]].includes("svc:texts")) { ${instead} }
      return usual.apply(this, values);
    };
  }`);
  await write(ada, task.code);
  await textOf(ada).press("Control+End");
  await ada.page.keyboard.type(" and steel");
  await eventually(async () => expect((await markdown()).trim()).toBe("All of brass and steel"));
});

test("what the browser kept is added and saved, also where its storage answers late", async () => {
  const { home, task, markdown } = await workshop();
  const ada = await seat(running, chromium, home);
  await write(ada, task.code);
  await ada.offline(true);
  await textOf(ada).press("Control+End");
  await ada.page.keyboard.type(" and steel");
  await expect.poll(() => keptTexts(ada)).toContain("and steel");
  await ada.page.goto("about:blank");
  await ada.page.addInitScript(`{
    const { get } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.get = function (...values) {
      const usual = get.apply(this, values);
      if (this.name !== "texts") return usual;
      const late = {};
      // Wait: keeper.ts opens a text without its storage after three seconds.
      usual.onsuccess = () => setTimeout(() => { late.result = usual.result; late.onsuccess(); }, 5000);
      return late;
    };
  }`);
  await ada.offline(false);
  await write(ada, task.code);
  await says(ada, "All of brass");
  await says(ada, "All of brass and steel");
  await eventually(async () => expect((await markdown()).trim()).toBe("All of brass and steel"));
  await expect.poll(() => keptTexts(ada)).toBe("");
  offlineIsExpected(ada);
});

test("two people write in one description at once, each sees the other, and it is one text", async () => {
  const { home, task, markdown } = await workshop();
  const [ada, bob] = [
    await seat(running, chromium, home),
    await seat(running, chromium, home, await home.member("member")),
  ];
  for (const one of [ada, bob]) await write(one, task.code);
  await textOf(ada).press("Control+End");
  await ada.page.keyboard.type(" and steel");
  await says(bob, "All of brass and steel");
  await textOf(bob).press("Control+Home");
  await bob.page.keyboard.type("Bob: ");
  await says(ada, "Bob: All of brass and steel");
  await ada.page.locator(".rich-cursor").first().waitFor();
  await looked(ada, "editor-together");
  // What one has typed oneself is taken back, and nothing of the other.
  await textOf(ada).press("ControlOrMeta+z");
  await says(bob, "Bob: All of brass");
  for (const one of [ada, bob]) await saved(one);
  await ada.page.getByRole("button", { name: "Done" }).click();
  await ada.page.locator(".rich p", { hasText: "Bob: All of brass" }).waitFor();
  expect((await markdown()).trim()).toBe("Bob: All of brass");
});

test("what is opened before there is a connection stays open, and is written with the others once there is one", async () => {
  const { home, task, markdown } = await workshop();
  const ada = await seat(running, chromium, home);
  let connect = () => {};
  const held = new Promise<void>((go) => {
    connect = go;
  });
  await ada.page.routeWebSocket(/\/api\/v1\/realtime$/, (socket) => void held.then(() => socket.connectToServer()));
  await ada.goTo(`tasks/${task.code}`);
  await ada.page.getByRole("button", { name: /description …$/ }).click();
  await ada.page.locator("textarea", { hasText: "All of brass" }).waitFor();
  connect();
  await ada.page.locator("[data-text=live]").waitFor();
  await textOf(ada).press("Control+End");
  await ada.page.keyboard.type(" and steel");
  await saved(ada);
  await eventually(async () => expect((await markdown()).trim()).toBe("All of brass and steel"));
});

test("Markdown that is typed becomes what it means", async () => {
  const { home, task, markdown } = await workshop("");
  const ada = await seat(running, chromium, home);
  await write(ada, task.code);
  const { keyboard } = ada.page;
  await textOf(ada).focus();
  await keyboard.type("# Plan\nSome **bold** and *soft* and `code` words\n- one\ntwo\n\n");
  await keyboard.type("[] cut\ndrill\n\n> said\n\n");
  await keyboard.type("```");
  await keyboard.type("let x = 1;");
  await textOf(ada).locator("pre", { hasText: "let x = 1;" }).waitFor();
  await textOf(ada).locator(".rich-box").first().click();
  await saved(ada);
  await looked(ada, "editor-markdown");
  expect((await markdown()).trim()).toBe(
    "# Plan\n\nSome **bold** and *soft* and `code` words\n\n- one\n- two\n\n+ [x] cut\n+ [ ] drill\n\n> " +
      "said\n\n```\nlet x = 1;\n```",
  );
});

test("blocks are chosen behind a slash, people and Tasks are named, and a table is walked through", async () => {
  const { home, task, markdown } = await workshop("");
  const ada = await seat(running, chromium, home);
  await write(ada, task.code);
  const { keyboard } = ada.page;
  const chosen = (name: string | RegExp) => ada.page.getByRole("option", { name }).first().waitFor();
  await textOf(ada).focus();
  await keyboard.type("/head");
  await chosen("Heading 1");
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await keyboard.type("Second\n");
  await keyboard.type(`See #${task.code}`);
  await chosen(/Cut the gears/);
  await keyboard.press("Enter");
  await keyboard.type("and @");
  await chosen(/Person/);
  await looked(ada, "editor-mention");
  await keyboard.press("Enter");
  await keyboard.press("Enter");
  await keyboard.type("/table");
  await chosen("Table");
  await keyboard.press("Enter");
  for (const word of ["a", "b", "c", "1", "2", "3"]) {
    await keyboard.type(word);
    await keyboard.press("Tab");
  }
  await saved(ada);
  await looked(ada, "editor-table");
  const text = await markdown();
  expect(text).toContain("# Second");
  expect(text).toMatch(
    new RegExp(
      `See \\[${task.code}\\]\\(svc:task/${task.id}\\) and \\[[^\\]]+\\]\\(svc:person/${home.owner.actorId}\\)`,
    ),
  );
  expect(text).toContain("| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |");
});

test("what is pasted is read as Markdown or cleaned HTML, a picture is attached, and nothing of it runs", async () => {
  const { home, task, markdown } = await workshop("");
  const ada = await seat(running, chromium, home);
  const ran = await watched(ada.page);
  await write(ada, task.code);
  await textOf(ada).focus();
  const bytes = [...(await smallPicture())];
  const paste = (data: Record<string, string>, picture = false) =>
    textOf(ada).evaluate(
      (text, [data, bytes]) => {
        const clipboardData = new DataTransfer();
        for (const [type, value] of Object.entries(data)) clipboardData.setData(type, value);
        if (bytes.length > 0)
          clipboardData.items.add(new File([new Uint8Array(bytes)], "gear.png", { type: "image/png" }));
        text.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
      },
      [data, picture ? bytes : []] as const,
    );
  await paste({ "text/plain": "## Pasted\n\n1. one\n2. two\n\n" });
  await ada.page.keyboard.press("Control+End");
  const html =
    '<p style="color:red" onclick="ran()">Some <b>bold</b> <a href="javascript:ran()">bad</a> <a ' +
    'href="https://example.com/">good</a></p><script>ran()</script><img src=x onerror="ran()">';
  await paste({ "text/html": html, "text/plain": "Some bold bad good" });
  await textOf(ada).locator("strong, p", { hasText: "bold" }).first().waitFor();
  await paste({ "text/plain": attacks.slice(0, 400).join("\n\n") });
  await paste({ "text/plain": attacks.slice(-400).join("\n\n") });
  await paste({}, true);
  await textOf(ada).locator("img.rich-picture").first().waitFor();
  await saved(ada);
  expect(await textOf(ada).locator(":is(script,svg,iframe,style,object,[onerror],[onclick],[style])").count()).toBe(0);
  expect(await textOf(ada).locator('a[href]:not([href^="http"]):not([href^="mailto"]):not([href^="/"])').count()).toBe(
    0,
  );
  expect(await ran()).toBe(0);
  const text = await markdown();
  expect(text).toContain("## Pasted\n\n1. one");
  expect(text).toContain("**bold** bad [good](https://example.com/)");
  expect(text).toMatch(/!\[gear.png\]\(attachment:[0-9a-f-]{36}\)/);
  expect(text).not.toMatch(/\]\(javascript:/i);
});

test("what is typed while the service is killed is there when it is back, also after a reload in between", async () => {
  const { home, task, markdown } = await workshop("Begun");
  let other = await anotherProcess(running);
  onTestFinished(() => other.kill());
  const port = Number(other.host.split(":")[1]);
  const ada = await seat({ ...running, url: `http://localhost:${port}` }, chromium, home);
  await write(ada, task.code);
  await textOf(ada).press("Control+End");
  await ada.page.keyboard.type(" before");
  await saved(ada);
  await other.kill();
  await ada.page.keyboard.type(" while it was away");
  await ada.page.getByText("No connection. What you write is kept here.").waitFor();
  await looked(ada, "editor-away");
  other = await anotherProcess(running, port);
  await ada.page.locator("[data-text=live]").waitFor();
  await eventually(async () => expect((await markdown()).trim()).toBe("Begun before while it was away"));
  await other.kill();
  await ada.page.keyboard.type(" and gone");
  await ada.page.locator("[data-text=unsent]").waitFor();
  await expect.poll(() => keptTexts(ada)).toContain("and gone");
  await ada.page.goto("about:blank");
  expect((await markdown()).trim()).toBe("Begun before while it was away");
  other = await anotherProcess(running, port);
  await write(ada, task.code);
  await says(ada, "Begun before while it was away and gone");
  await eventually(async () => expect((await markdown()).trim()).toBe("Begun before while it was away and gone"));
  ada.faults.splice(0, ada.faults.length, ...ada.faults.filter((fault) => !/ERR_|WebSocket connection/.test(fault)));
});

test("a text that has reached its limit says so, undoes what does not fit, and takes what fits again", async () => {
  const words = `${"brass ".repeat(43_690)}end`;
  const { home, task, markdown } = await workshop(words);
  const ada = await seat(running, chromium, home);
  await write(ada, task.code);
  await textOf(ada).press("Control+End");
  await ada.page.keyboard.insertText(" of a sentence that does not fit any more");
  await ada.page.locator("[data-text=full]").waitFor();
  await ada.page.getByText("This text has reached its limit. Your last change was undone.").waitFor();
  await looked(ada, "editor-full");
  await says(ada, words);
  for (let letter = 0; letter < 3; letter++) await textOf(ada).press("Backspace");
  await ada.page.keyboard.insertText("fin");
  await saved(ada);
  await eventually(async () => expect((await markdown()).trim().endsWith("brass fin")).toBe(true));
});
