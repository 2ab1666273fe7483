// The program that npm start runs, started: it serves its pages, reads the files beside it, and starts its threads.
import { expect, onTestFinished, test } from "vitest";
import { anotherProcess } from "./another-process.ts";
import { newDocument } from "./documents.ts";
import { newKey, service, sessionHeaders, world } from "./world.ts";

const running = service();

test("it serves pages and documents of the interface, reads files beside its sources, and starts its threads", async () => {
  const home = await world(running);
  const document = await newDocument(home);
  const built = await anotherProcess(running);
  onTestFinished(() => built.kill());
  const ask = (path: string, how?: RequestInit) => fetch(`http://${built.host}${path}`, how);
  for (const path of ["/login", "/docs", "/problems", "/api/v1/openapi.json", "/api/v1/asyncapi.json"])
    expect((await ask(path)).status, path).toBe(200);
  const write = async (method: string, path: string, body: object, headers = {}) => {
    const all = { "content-type": "application/json", "idempotency-key": newKey(), ...headers };
    return (await ask(`/api/v1${path}`, { method, headers: all, body: JSON.stringify(body) })).json();
  };
  const stolen = { email: `${home.workspaceId}@example.com`, password: "123qweasdzxc", display_name: "Ada" };
  expect(await write("POST", "/auth/register", stolen)).toMatchObject({ code: "password_breached" });
  const headers = { ...sessionHeaders(home.owner.session), "if-match": "*" };
  expect(await write("PUT", `/documents/${document.id}/markdown`, { markdown: "# Gears" }, headers)).toMatchObject({
    markdown: expect.stringContaining("# Gears"),
  });
});
