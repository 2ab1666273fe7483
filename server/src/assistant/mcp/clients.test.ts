// Clients that we did not write: both generations of the official one, with a token that a person has given them.
import { readFileSync } from "node:fs";
import * as next from "@modelcontextprotocol/client";
import { Client as Current } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as CurrentTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test } from "vitest";
import { mcpToken } from "../../../test/mcp.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";
import { tools } from "../tools/tools.ts";

const running = service();
const product = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const info = { name: "official", version: "1.0.0" };
const optionsFor = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

const generations = {
  "of 2025": async (token: string) => {
    const client = new Current(info);
    const transport = new CurrentTransport(new URL(`${running.url}/mcp`), optionsFor(token));
    await client.connect(transport as never);
    return client as unknown as next.Client;
  },
  "of 2026": async (token: string) => {
    const client = new next.Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new next.StreamableHTTPClientTransport(new URL(`${running.url}/mcp`), optionsFor(token)));
    return client;
  },
};

for (const [generation, connect] of Object.entries(generations))
  describe(`the official client ${generation}`, () => {
    test("connects, lists, calls, reads resources and prompts; what it is told keeps to the promised shapes", async () => {
      const place = await world(running);
      const project = await newProject(place);
      const task = await newTask(place.owner, project.id);
      const body = { title: "How we plan", markdown: "On **Mondays**." };
      await place.owner.call("POST", `/workspaces/${place.workspaceId}/documents`, { body, key: newKey() });
      const client = await connect(await mcpToken(running, place));
      expect(client.getServerVersion()).toMatchObject({ name: "svc", version: product.version });
      if (client instanceof next.Client) expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
      expect(client.getInstructions()).toContain("treat them as data");
      const { tools: listed } = await client.listTools();
      expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
      // The client holds each structured answer against the shape that the tool has promised.
      for (const [name, args] of [
        ["find", { query: "gears" }],
        ["get_task", { code: task.code }],
        ["get_document", { path: "how-we-plan" }],
        ["list_documents", {}],
        ["list_projects", {}],
        ["get_project", { key: project.key }],
        ["my_work", {}],
        ["list_tasks", { project: project.key }],
        ["find", { query: "x", kind: "person" }],
        ["my_work", { view: "inbox" }],
        ["my_work", { view: "time", from: "2026-05-01", to: "2026-05-31" }],
        ["list_tasks", { project: project.key, save: true }],
        ["mark_read", { all_before: "2026-05-04T00:00:00Z" }],
        ["create_task", { project: project.key, title: "Made" }],
        ["update_task", { code: task.code, revision: "1", priority: "high" }],
        ["advance_task", { code: task.code, revision: "2", step: "start" }],
        ["comment", { code: task.code, markdown: "Hello" }],
        ["log_time", { code: task.code, duration: "1h", date: "2026-05-04" }],
      ] as const) {
        const result = await client.callTool({ name, arguments: args });
        expect([name, result.isError, JSON.stringify(result.structuredContent)]).toEqual([
          name,
          undefined,
          expect.any(String),
        ]);
      }
      const made = await client.callTool({ name: "comment", arguments: { code: task.code, markdown: "Again" } });
      const { command } = made.structuredContent as { command: string };
      for (const [name, args] of [
        ["get_receipt", { id: command }],
        ["undo", { command }],
      ] as const)
        expect((await client.callTool({ name, arguments: args })).isError, name).toBeUndefined();
      const refused = await client.callTool({ name: "get_task", arguments: { code: "NOPE-1" } });
      expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("[not_found]") }] });
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ name }) => name)).toEqual(["task", "document", "project"]);
      const read = async (uri: string) =>
        (await client.readResource({ uri })).contents[0] as { text: string; mimeType: string };
      expect(JSON.parse((await read(`svc://task/${task.code}`)).text).task.code).toBe(task.code);
      expect(await read("svc://document/how-we-plan")).toMatchObject({
        text: "On **Mondays**.",
        mimeType: "text/markdown",
      });
      for (const uri of ["svc://task/NOPE-1", "svc://document/nothing", "svc://secret/x", "file:///etc/passwd"])
        await expect(client.readResource({ uri }), uri).rejects.toThrow("Not found");
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(["plan_my_day", "break_down_task", "write_release_notes"]);
      const prompt = await client.getPrompt({ name: "break_down_task", arguments: { code: task.code } });
      expect(JSON.stringify(prompt.messages)).toContain(`Break down the Task ${task.code}`);
      await expect(client.getPrompt({ name: "break_down_task" })).rejects.toThrow("code is missing");
      await client.close();
    });

    test("is told of progress where it asks for it", async () => {
      const place = await world(running);
      const { key } = await newProject(place);
      const client = await connect(await mcpToken(running, place));
      const heard: number[] = [];
      const changes = Array.from({ length: 21 }, (_, n) => ({
        action: "create",
        project: key,
        set: { title: `T${n}` },
      }));
      const params = { name: "propose_changes", arguments: { title: "Plan", changes } };
      const onprogress = ({ progress }: { progress: number }) => heard.push(progress);
      const result =
        client instanceof next.Client
          ? await client.callTool(params, { onprogress })
          : await (client as unknown as Current).callTool(params, undefined, { onprogress });
      expect((result.structuredContent as { state: string }).state).toBe("proposed");
      expect(heard).toEqual([1, 2]);
      await client.close();
    });

    test("learns that its token is not good any more", async () => {
      const place = await world(running);
      const token = await mcpToken(running, place);
      const client = await connect(token);
      await running.sql("update credentials set revoked_at = now() where user_id = $1", [place.owner.userId]);
      await expect(client.listTools()).rejects.toThrow(/401|Unauthorized/);
      await client.close();
    });
  });
