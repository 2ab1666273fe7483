// One call of everything that can be done with labels, for the check that each finds what it touches by an index.
import type { Answer } from "./answer.ts";
import type { World } from "./world.ts";

export async function labelCalls({ workspaceId, owner }: World, projectId: string, taskId: string): Promise<Answer[]> {
  const labels = `/workspaces/${workspaceId}/label-definitions`;
  const [wide, full] = (await owner.call("GET", labels)).body.items;
  const any = { headers: { "if-match": "*" } };
  const put = (kind: string, id: string, label_ids: string[]) =>
    owner.call("PUT", `/${kind}/${id}/labels`, { body: { label_ids }, ...any });
  // There is no room for one more.
  await owner.call("DELETE", `/label-definitions/${full.id}`);
  const made = await owner.call("POST", labels, { body: { name: "Made", purpose: "general" } });
  const override = `/projects/${projectId}/label-overrides/${made.body.id}`;
  return [
    made,
    await put("task", taskId, [wide.id, made.body.id]),
    await put("project", projectId, [made.body.id]),
    await owner.call("GET", `/task/${taskId}/labels`),
    await owner.call("GET", `/project/${projectId}/labels`),
    await owner.call("GET", `/label-definitions/${wide.id}`),
    await owner.call("PATCH", `/label-definitions/${wide.id}`, { body: { color: "red" }, ...any }),
    await owner.call("PUT", override, { body: { hidden: true }, ...any }),
    await owner.call("GET", `/projects/${projectId}/label-overrides`),
    await owner.call("DELETE", override),
    await owner.call("DELETE", `/label-definitions/${wide.id}`),
  ];
}
