// Rule about exported types: within a package, a name means one thing, so that a reader need not ask which one it is.
import type { Rule } from "./source-files.ts";

const EXPORTED = /^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm;
const packageOf = (path: string) =>
  path.startsWith("server/test/") ? "server/test" : path.slice(0, path.indexOf("/"));

export const typeNames: Rule = (files) => {
  const declared = new Map<string, string>();
  return files.flatMap(({ path, text }) =>
    [...new Set([...text.matchAll(EXPORTED)].map(([, name]) => name as string))].flatMap((name) => {
      const key = `${packageOf(path)} ${name}`;
      const first = declared.get(key);
      if (first === undefined) declared.set(key, path);
      return first === undefined ? [] : [`${path} exports a type ${name}, and so does ${first}`];
    }),
  );
};
