// Projects and their Milestones.
import type { Run } from "../command.ts";
import { openSession } from "../credentials/session.ts";
import { usage } from "../failure.ts";
import { safe, safeLine } from "../output/screen.ts";
import { fields, table } from "../output/table.ts";
import { titleLine } from "../output/task-shape.ts";
import { upTo } from "../pages.ts";
import { type Told, toolsOf } from "../tools.ts";

export const list: Run = async (input) => {
  const { client } = openSession(input);
  const limit = input.count("limit", 50);
  const found = await upTo(limit, (page) => client.listCliProjects(page));
  const items = found.items.map(({ state, ...row }) => ({ ...row, state: state?.name ?? null }));
  return {
    data: { items, has_more: found.has_more },
    text: (screen) =>
      items.length === 0 && screen.columns !== null
        ? "There is no Project that you can see."
        : table(
            items,
            [
              { title: "key", of: ({ code }) => code, colour: "cyan" },
              { title: "name", of: ({ name }) => name, shrinks: true },
              { title: "state", of: ({ state }) => state },
              { title: "target", of: ({ target_date }) => target_date },
            ],
            screen,
          ),
    next: found.has_more ? `There are more: --limit ${limit * 2}` : undefined,
  };
};

export const view: Run = async (input) => {
  const { client } = openSession(input);
  const {
    capabilities: _,
    state,
    ...project
  } = await client.getCliProject({
    project_code: input.needed("project").toUpperCase(),
  });
  return {
    data: { ...project, state: state?.name ?? null },
    text: (screen) =>
      [
        titleLine({ code: project.code, title: safeLine(project.name) }, screen),
        fields(
          [
            ["State", state?.name],
            ["Visibility", project.visibility],
            ["Start", project.start_date],
            ["Target", project.target_date],
            ["Archived", project.archived_at],
          ],
          screen,
        ),
        safe(project.description_markdown),
      ]
        .filter((part) => part !== "")
        .join("\n\n"),
  };
};

export const milestones: Run = async (input) => {
  const named = input.text("project");
  if (named === undefined)
    throw usage(
      "Which Project? Its key is missing.",
      "Name it: svc milestone list ENG. See all of them: svc project list",
    );
  const project = named.toUpperCase();
  const { milestones: found = [], more } = await toolsOf(openSession(input))("get_project", { key: project });
  const items = (found as Told[]).map(({ code, name, target_date = null }) => ({ code, name, target_date }));
  return {
    data: { items, has_more: /milestones/.test(more ?? "") },
    text: (screen) =>
      items.length === 0 && screen.columns !== null
        ? `${project} has no Milestone.`
        : table(
            items,
            [
              { title: "code", of: ({ code }) => code, colour: "cyan" },
              { title: "name", of: ({ name }) => name, shrinks: true },
              { title: "target", of: ({ target_date }) => target_date },
            ],
            screen,
          ),
  };
};

export const milestone: Run = async (input) => {
  const { client } = openSession(input);
  const code = input.needed("code").toUpperCase();
  if (!/^[A-Z][A-Z0-9]{0,9}-M[1-9]\d*$/.test(code))
    throw usage(
      `${code} is no code of a Milestone.`,
      "Codes look like ENG-M3. See those of a Project: svc milestone list ENG",
    );
  const { capabilities: _, stage, ...found } = await client.getCliMilestone({ milestone_code: code });
  const { progress } = found;
  return {
    data: { ...found, stage: stage?.name ?? null },
    text: (screen) =>
      [
        titleLine({ code: found.code, title: safeLine(found.name) }, screen),
        fields(
          [
            ["Stage", stage?.name],
            ["Start", found.start_date],
            ["Target", found.target_date],
            ["Archived", found.archived_at],
            ...Object.entries(progress).map(([name, value]) => [name.replaceAll("_", " "), String(value)] as const),
          ],
          screen,
        ),
        safe(found.description_markdown),
      ]
        .filter((part) => part !== "")
        .join("\n\n"),
  };
};
