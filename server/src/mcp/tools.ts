// The tools, and which of them a credential is shown: those that it can use. What a tool does is what its operations do; no rule of the service is here.
// Bulk and destructive work is only proposed.
import type { Fault } from "../wire/problem.ts";
import { faultsIn } from "../wire/validate.ts";
import { changingTools } from "./changing.ts";
import type { Self } from "./own.ts";
import { readingTools } from "./reading.ts";
import type { Args, Tool } from "./tool.ts";
import { writingTools } from "./writing.ts";

export const tools: readonly Tool[] = [...readingTools, ...writingTools, ...changingTools];
const byName = new Map(tools.map((each) => [each.name, each]));

export const toolsFor = ({ kind, scopes }: Pick<Self, "kind" | "scopes">) =>
  tools.filter((each) => !(each.human && kind === "service") && each.scopes.some((scope) => scopes.includes(scope)));
export function toolNamed(name: string, kind: string): Tool | undefined {
  const found = byName.get(name);
  return found?.human && kind === "service" ? undefined : found;
}

export const faultsOf = ({ input }: Tool, args: Args): Fault[] =>
  faultsIn("body", input, args, JSON.stringify(args).length);
