// Documents: lists the top level, and prints one Document.
import type { Run } from "../../command.ts";
import { openSession } from "../../credentials/session.ts";
import { EXIT, Failure } from "../../failure.ts";
import { safe, safeLine } from "../../output/screen.ts";
import { table } from "../../output/table.ts";
import { upTo } from "../../pages.ts";
import { toolsOf, type UseTool } from "../../tools.ts";

export const list: Run = async (input) => {
  const { client } = openSession(input);
  const limit = input.count("limit", 50);
  const project_code = input.text("project")?.toUpperCase();
  const found = await upTo(limit, (page) => client.listCliDocuments({ project_code, ...page }));
  return {
    data: { ...found },
    text: (screen) =>
      found.items.length === 0 && screen.columns !== null
        ? "There is no Document here."
        : table(
            found.items,
            [
              { title: "path", of: ({ path }) => path, colour: "cyan" },
              { title: "title", of: ({ title }) => title, shrinks: true },
              { title: "project", of: ({ project_code: code }) => code },
              { title: "below it", of: ({ has_children }) => (has_children ? "more" : "") },
              { title: "changed", of: ({ updated_at }) => updated_at.slice(0, 10) },
            ],
            screen,
          ),
    next: found.has_more ? `There are more: --limit ${limit * 2}` : undefined,
  };
};

export interface Said {
  path: string;
  title: string;
  markdown: string;
  content_revision: string;
}
/** Reads all pages of a Document's Markdown; starts again if its revision changes meanwhile. */
export async function markdownOf(use: UseTool, path: string): Promise<Said> {
  for (let attempt = 0; attempt < 3; attempt++) {
    let whole = "";
    let revision: string | undefined;
    for (;;) {
      const part = await use("get_document", { path, offset: whole.length });
      if (revision !== undefined && part.content_revision !== revision) break;
      revision = part.content_revision;
      whole += part.markdown;
      if (!part.more)
        return { path: part.path, title: part.title, markdown: whole, content_revision: part.content_revision };
    }
  }
  throw new Failure(
    EXIT.conflict,
    "The Document changes while it is read.",
    "Somebody is writing in it: try again later",
  );
}

export const view: Run = async (input) => {
  const session = openSession(input);
  const path = input.needed("path");
  if (input.has("markdown")) {
    const said = await markdownOf(toolsOf(session), path);
    return { data: { ...said }, text: () => safe(said.markdown) };
  }
  const { capabilities: _, ...document } = await session.client.getCliDocument({ document_path: path });
  return {
    data: document,
    text: (screen) =>
      screen.columns === null
        ? safe(document.text)
        : [screen.colour("bold", safeLine(document.title)), safe(document.text)].filter(Boolean).join("\n\n"),
    next: document.truncated ? `Only its beginning is here. All of it: svc doc view ${path} --markdown` : undefined,
  };
};
