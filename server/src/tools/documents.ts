// Documents, as the assistants inside the service write them. MCP has patch_document and propose_changes, in which a client names what it has drafted; here a draft is proposed
// at once, by the gate that stands before the tools. Publishing is nobody's but a person's.
import Type from "typebox";
import { closed, Id, Key, text, Version } from "./arguments.ts";
import { patchDocument } from "./changing.ts";
import { projectId, unnamed } from "./names.ts";
import { documentLink, UNTRUSTED, Untrusted, Written, written } from "./shown.ts";
import { type Tool, tool } from "./tool.ts";

const writes = ["svc:write", "svc:documents:write"];
const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };

export const createDocument = tool({
  name: "create_document",
  description:
    "Create a Document in a Project, as a draft that only those who see the Project read. Publishes nothing.",
  operations: ["createDocument", "findProjectByKey", "getDocumentByPath"],
  scopes: writes,
  annotations,
  input: Type.Object(
    {
      project: Key("Its key"),
      title: text(500),
      markdown: text(262_144),
      below: Type.Optional(text(2000, "Path of the Document of that Project to stand below")),
    },
    closed,
  ),
  output: Type.Object({ ...Untrusted, path: Type.String(), content_revision: Type.String(), ...Written.properties }),
  async run({ call, keyFor }, args) {
    const { project, title, markdown, below } = args;
    const [project_id, parent] = await Promise.all([
      projectId(call, project),
      below === undefined ? null : call("getDocumentByPath", { params: { document_path: below } }),
    ]);
    // Below a parent it would be in the parent's Project, whatever was said.
    if (parent && parent.body.project_id !== project_id) unnamed("below", "must be a Document of that Project");
    const { body, commandId, repeated } = await call("createDocument", {
      body: { title, markdown, project_id, ...(parent && { parent_id: parent.body.id }) },
      key: keyFor("create_document", args),
    });
    const { path, content_revision } = body;
    return {
      ...UNTRUSTED,
      path,
      content_revision,
      link: documentLink(path),
      ...written(commandId, repeated),
    };
  },
});

/** As the assistants inside have it. */
export const editDocument: Tool = {
  ...patchDocument,
  description:
    "Change a Document at the content_revision that you read. It waits for the person: nothing else is needed for that.",
};

/** What was drafted, written as it was shown: only a decision leads here. */
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
  async run({ call, keyFor }, args) {
    const { path, revision, patch, version } = args;
    const document = (await call("getDocumentByPath", { params: { document_path: path } })).body;
    const { body, commandId, repeated } = await call("writeDocumentPatch", {
      params: { document_id: document.id },
      body: { patch_id: patch, version },
      key: keyFor("patch_document", args),
      revision,
    });
    return { path: document.path, ...body, link: documentLink(document.path), ...written(commandId, repeated) };
  },
});
