// Tools that create and edit Documents. MCP clients draft edits with patch_document and name the draft in
// propose_changes; inside the service, the gate before the tools proposes a draft at once. No tool publishes.
import Type from "typebox";
import { CallKey, closed, Id, Key, text, Version } from "./arguments.ts";
import { patchDocument } from "./change-set-tools.ts";
import { projectId, unnamed } from "./names.ts";
import { type Tool, tool } from "./tool.ts";
import { documentLinks, UNTRUSTED, Untrusted, Written, written } from "./tool-output.ts";

const writes = ["svc:write", "svc:documents:write"];
const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };

const fields = {
  title: text(500),
  markdown: Type.Optional(Type.String({ maxLength: 262_144 })),
  below: Type.Optional(text(2000, "Path of the parent Document")),
  key: CallKey,
};
export const createDocument = tool({
  name: "create_document",
  description: "Create a Document: of the Workspace, a Project, or below another.",
  operations: ["createDocument", "findProjectByKey", "getDocumentByPath"],
  scopes: writes,
  annotations,
  input: Type.Object({ project: Type.Optional(Key("Its key")), ...fields }, closed),
  output: Type.Object({ ...Untrusted, path: Type.String(), content_revision: Type.String(), ...Written.properties }),
  async run(context, args) {
    const { call, key } = context;
    const { project, title, markdown, below } = args;
    const [project_id, parent] = await Promise.all([
      project === undefined ? undefined : projectId(call, project),
      below === undefined ? null : call("getDocumentByPath", { params: { document_path: below } }),
    ]);
    // A Document below a parent is always in the parent's Project.
    if (parent && project_id !== undefined && parent.body.project_id !== project_id)
      unnamed("below", "must be a Document of that Project");
    const done = await call("createDocument", {
      body: { title, markdown, project_id, ...(parent && { parent_id: parent.body.id }) },
      key: await key(),
    });
    const { id, path, content_revision } = done.body;
    return { ...UNTRUSTED, path, content_revision, ...documentLinks(context, { id, path }), ...written(done) };
  },
});
/** Agents create Documents only in Projects: the Project decides who approves, and who reads it. */
export const createProjectDocument: Tool = {
  ...createDocument,
  description:
    "Create a Document in a Project, as a draft that only those who see the Project read. Publishes nothing.",
  input: Type.Object({ ...fields, project: Key("Its key"), markdown: text(262_144) }, closed),
};

/** Variant for the assistants inside the service. */
export const editDocument: Tool = {
  ...patchDocument,
  description:
    "Change a Document at the content_revision that you read. It waits for the person: " +
    "nothing else is needed for that.",
};

/** Writes a draft exactly as it was shown; only called after a decision. */
export const writeEdits = tool({
  name: "patch_document",
  description: "Write a drafted patch.",
  operations: ["getDocumentByPath", "writeDocumentPatch"],
  scopes: writes,
  annotations,
  input: Type.Object(
    { path: text(2000), revision: text(18), patch: Id, version: Version, diff: Type.String() },
    closed,
  ),
  output: Type.Object({ path: Type.String(), content_revision: Type.String(), ...Written.properties }),
  async run(context, args) {
    const { call, key } = context;
    const { path, revision, patch, version } = args;
    const document = (await call("getDocumentByPath", { params: { document_path: path } })).body;
    const done = await call("writeDocumentPatch", {
      params: { document_id: document.id },
      body: { patch_id: patch, version },
      key: await key(),
      revision,
    });
    return { path: document.path, ...done.body, ...documentLinks(context, document), ...written(done) };
  },
});
