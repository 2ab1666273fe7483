// What holds for every operation, from the contract alone: see checks/ for the rules, fixtures.ts for a valid call of each, and
// planted.ts for the broken operations that the rules must notice.
import { operations } from "@svc/contract/operations.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { MODEL, sellWithoutLimits } from "./billing.ts";
import { access } from "./checks/access.ts";
import { answers, leaveNoTrace } from "./checks/answers.ts";
import type { Checks } from "./checks/check.ts";
import { input } from "./checks/input.ts";
import { retries } from "./checks/retries.ts";
import { fixtures } from "./fixtures.ts";
import { openIdProviders } from "./openid-provider.ts";
import { planted, plantedImplementations, plantedOperations } from "./planted.ts";
import { homeIn, type Stage, stageOn } from "./stage.ts";
import { stripeStandIn } from "./stripe.ts";
import { service } from "./world.ts";

const rules: Checks = { ...access, ...retries, ...input, ...answers };
const all = [...operations.values(), ...plantedOperations];
const openId = await openIdProviders();
afterAll(() => openId.stop());
const stripe = await stripeStandIn();
afterAll(() => stripe.close());
const running = service(
  { providers: openId.config, ...stripe.config, model: MODEL },
  { implementations: [...implementations, ...plantedImplementations] },
);
let stage: Stage;
beforeAll(async () => {
  await sellWithoutLimits(running);
  const ofPlanted = Object.fromEntries(plantedOperations.map(({ id }) => [id, {}]));
  stage = await stageOn(running, all, { ...fixtures, ...ofPlanted });
});
afterAll(() => stage?.admin.end());

for (const operation of operations.values()) {
  const check = fixtures[operation.id]?.alone ? test : test.concurrent;
  check(`${operation.id} holds to its contract`, async () => {
    const broken: string[] = [];
    for (const [rule, { of, run }] of Object.entries(rules)) {
      if (of && !of(operation)) continue;
      await run(operation, stage).catch((error: Error) => broken.push(`${rule}\n    ${error.message}`));
    }
    expect(broken, `${operation.id} breaks ${broken.length} rules`).toEqual([]);
  });
}

test("no read, no refusal and no replay writes anything", () => leaveNoTrace([...operations.values()], stage));

test("every line of fixtures.ts is of an operation", () => {
  expect(Object.keys(fixtures).filter((id) => !operations.has(id))).toEqual([]);
});

describe("the rules notice", () => {
  const named = (id: string) => all.find((operation) => operation.id === id) ?? expect.fail(`no operation ${id}`);
  const starting = (words: string) => Object.entries(rules).filter(([rule]) => rule.startsWith(words));

  for (const { breaks, operation, sabotage, shows } of planted) {
    test.concurrent(`${operation} where it breaks "${breaks} ..."`, async () => {
      const [[, rule] = expect.fail(`no rule starts with ${breaks}`)] = starting(breaks);
      expect(rule.of?.(named(operation)) ?? true, "the rule speaks of this operation").toBe(true);
      const own = { ...stage, home: await homeIn(running) };
      if (sabotage) await rule.run(named(operation), own);
      await expect(rule.run(named(operation), sabotage?.(own) ?? own)).rejects.toThrow(shows ?? /^answered 20[01] /);
    });
  }
  test("every rule is broken by something planted", () => {
    const unproven = Object.keys(rules).filter((rule) => !planted.some(({ breaks }) => rule.startsWith(breaks)));
    expect(unproven).toEqual([]);
  });
  test("a read that writes", () => expect(leaveNoTrace([named("writesInRead")], stage)).rejects.toThrow("audit_log"));
  test("no write where a first call was answered 503, and is made again", async () => {
    const refused = new Set<string>();
    const send: Stage["send"] = async (method, path, options) => {
      const answer = await stage.send("GET", "/me");
      const key = options?.key ?? "";
      if (key === "" || refused.has(key)) return stage.send(method, path, options);
      refused.add(key);
      return { ...answer, status: 503, headers: new Headers({ "retry-after": "0" }) };
    };
    await leaveNoTrace([named("createWorkspaceLabel")], { ...stage, send });
    expect(refused.size).toBeGreaterThan(0);
  });
  test("an operation without a line in fixtures.ts", async () => {
    const [rule] = Object.values(rules) as [Checks[string]];
    await expect(rule.run(named("getTask"), { ...stage, fixtures: {} })).rejects.toThrow("no line");
  });
});
