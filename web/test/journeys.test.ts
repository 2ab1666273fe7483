// Every page of the application is shown by a browser test of the first tier. The routes are read from the sources of
// the router and of the settings, and each call of `shows` or `reach` in a journey asserts, when it runs, that the page
// of that route is drawn.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSlow } from "../../scripts/test-tiers.mjs";
import { paths } from "../src/paths.ts";
import { isAddressOf } from "./visit.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** First strings of the rows of an array in a source file. */
function firstColumn(path: string, declaration: string): string[] {
  const text = read(path);
  const start = text.indexOf(declaration);
  if (start < 0)
    throw new Error(`${path} no longer declares its pages with "${declaration}": edit ${import.meta.filename}`);
  const rows = text.slice(start).split("\n]", 1)[0] as string;
  return [...rows.matchAll(/\[\s*"([^"]*)",/g)].map(([, name]) => name as string);
}

/** Routes of all pages; a route with `:section` stands for one route per section. */
function routes(): string[] {
  const sections: Record<string, string[]> = {
    "settings/:section": firstColumn("web/src/settings/settings.tsx", "const groups"),
    "projects/:key/settings/:section": firstColumn("web/src/settings/project/page.tsx", "const sections"),
  };
  const ofWorkspace = firstColumn("web/src/shell/pages.tsx", "const pages");
  return [
    ...paths,
    ...ofWorkspace.flatMap((route) => sections[route]?.map((name) => route.replace(":section", name)) ?? [route]),
  ];
}

interface Journey {
  path: string;
  shown: string[];
}
const journeys = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".browser.test.ts") && !isSlow(name))
  .map((name): Journey => {
    const path = `web/test/${name}`;
    const shown = [...read(path).matchAll(/\.(?:shows|reach)\(\s*"([^"]*)"/g)].map(([, route]) => route as string);
    return { path, shown };
  });

const inCommon = (one: string, other: string) => {
  const [names, others] = [one.split("/"), other.split("/")];
  const differs = names.findIndex((name, at) => name !== others[at]);
  return differs < 0 ? names.length : differs;
};
/** A sentence for each route that no journey shows. It names the journey that shows most routes nearby. */
function faultsOf(all: readonly string[], from: readonly Journey[]): string[] {
  const isShown = (route: string) => from.some(({ shown }) => shown.includes(route));
  return all
    .filter((route) => !isShown(route))
    .map((route) => {
      const near = ({ shown }: Journey) => shown.reduce((sum, each) => sum + inCommon(route, each), 0);
      const [nearest] = [...from].sort((a, b) => near(b) - near(a));
      return `no journey shows "${route}": add it to ${nearest?.path}`;
    });
}

test("every page is shown by a journey of the first tier", () => {
  const all = routes();
  expect(all).toEqual(
    expect.arrayContaining(["/consent", "", "projects/:key/list", "settings/labels", "documents/:id"]),
  );
  expect(faultsOf(all, journeys)).toEqual([]);
});

test("a page without a journey is found, and the message names the file to edit", () => {
  expect(faultsOf([...routes(), "projects/:key/roadmap"], journeys)).toEqual([
    expect.stringMatching(
      /^no journey shows "projects\/:key\/roadmap": add it to web\/test\/projects-.+\.browser\.test\.ts$/,
    ),
  ]);
});

test("a route is compared with an address by its parts", () => {
  const shown = (route: string, path: string) => isAddressOf(route, path);
  expect(shown("/login", "/login")).toBe(true);
  expect(shown("", "/workspaces/acme")).toBe(true);
  expect(shown("projects/:key/list", "/workspaces/acme/projects/ENG/list")).toBe(true);
  expect(shown("projects/:key", "/workspaces/acme/projects/ENG/list")).toBe(false);
  expect(shown("projects/:key", "/workspaces/acme/projects/")).toBe(false);
});
