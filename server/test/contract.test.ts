// Rules that apply to every operation, tested on the covering set. contract.slow.test.ts tests every operation with
// every rule.
import { operations } from "@svc/contract/operations.ts";
import { describe, expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { asserted } from "./asserts.ts";
import { changedOperations, hasEveryRule, oneOfEachValue, rulesOfRun } from "./changed-operations.ts";
import { leaveNoTrace } from "./checks/answers.ts";
import type { Checks } from "./checks/check.ts";
import { contractStage, rules, testRules } from "./contract-rules.ts";
import {
  appliesTo,
  classOf,
  oneOfEach,
  PICKED,
  propertiesOf,
  representatives,
  rulesOf,
  valuesFor,
} from "./covering-set.ts";
import { fixtures } from "./fixtures.ts";
import { planted, plantedOperations } from "./planted.ts";
import { homeIn, type Stage } from "./stage.ts";

const all = [...operations.values(), ...plantedOperations];
// The few operations of a change meet every value.
const on = await contractStage({ isSampled: changedOperations === undefined });
testRules(on, (operation) => rulesOfRun(operation, rules));

test("no read, no refusal and no replay of the operations that stand for a class writes anything", () =>
  asserted(
    leaveNoTrace(
      [...operations.values()].filter((operation) => hasEveryRule(operation)),
      on.stage,
    ),
  ));

describe("the covering set", () => {
  const picked = new Map([...operations.values()].map((operation) => [operation, rulesOf(operation, rules)]));

  test("tests every class of operations with every rule, and every other operation with its success and three more rules", () => {
    expect(new Set(implementations.map(classOf)).size).toBe(representatives.size);
    for (const [operation, names] of picked) {
      const applying = Object.keys(rules).filter((name) => appliesTo(rules[name] as Checks[string], operation));
      const most = representatives.has(operation.id) ? applying.length : Math.min(applying.length, PICKED + 1);
      expect(names.length, operation.id).toBe(most);
      expect(names, operation.id).toContain("a success has the declared status and shape");
    }
  });

  test("tests every rule on three tenths of its operations at least", () => {
    for (const [name, rule] of Object.entries(rules)) {
      const applying = [...picked].filter(([operation]) => appliesTo(rule, operation));
      const tested = applying.filter(([, names]) => names.includes(name));
      expect(tested.length / applying.length, name).toBeGreaterThan(0.3);
    }
  });

  test("is narrowed to the operations of a change, with every rule for those that it touches", () => {
    const changed = { touched: ["getLabel"], near: ["getLabel", "updateLabel"], isWide: false };
    const tested = implementations.map(
      ({ operation }) => [operation.id, rulesOfRun(operation, rules, changed)] as const,
    );
    const counts = Object.fromEntries(
      tested.filter(([, names]) => names.length > 0).map(([id, { length }]) => [id, length]),
    );
    expect(Object.keys(counts).sort()).toEqual(["getLabel", "updateLabel"]);
    expect(counts.updateLabel).toBe(PICKED + 1);
    expect(counts.getLabel).toBeGreaterThan(PICKED + 1);
  });

  test("a change behind every operation meets every value of every property with few operations", () => {
    const standing = oneOfEachValue();
    const values = (ids: readonly string[]) =>
      new Set(
        implementations
          .filter(({ operation }) => ids.includes(operation.id))
          .flatMap((each) => Object.entries(propertiesOf(each)).map((property) => JSON.stringify(property))),
      );
    expect(values([...standing])).toEqual(values([...operations.keys()]));
    expect(standing.size).toBeLessThan(representatives.size / 3);
    const changed = { touched: [], near: [], isWide: true };
    expect([...operations.values()].filter((operation) => hasEveryRule(operation, changed))).toHaveLength(
      standing.size,
    );
  });

  test("sends every value of a rule to a quarter of its operations at least", () => {
    const values = Array.from({ length: 20 }, (_, at) => at);
    const sent = all.flatMap((operation) => valuesFor({ isSampled: true }, operation, values));
    for (const value of values)
      expect(sent.filter((each) => each === value).length / all.length, `${value}`).toBeGreaterThan(0.25);
    for (const operation of all) expect(valuesFor({ isSampled: true }, operation, ["one"])).toEqual(["one"]);
  });

  test("does not depend on the order of operations", () => {
    expect(oneOfEach(implementations.toReversed())).toEqual(representatives);
  });
});

test("every line of fixtures.ts is of an operation", () => {
  expect(Object.keys(fixtures).filter((id) => !operations.has(id))).toEqual([]);
});

// A change of one domain leaves the rules as they are.
describe.skipIf(changedOperations !== undefined && !changedOperations.isWide)("the rules notice", () => {
  const named = (id: string) => all.find((operation) => operation.id === id) ?? expect.fail(`no operation ${id}`);
  const starting = (words: string) => Object.entries(rules).filter(([rule]) => rule.startsWith(words));

  for (const { breaks, operation, sabotage, shows } of planted) {
    test.concurrent(`${operation} where it breaks "${breaks} ..."`, async ({ expect }) => {
      const [[, rule] = expect.fail(`no rule starts with ${breaks}`)] = starting(breaks);
      expect(rule.of?.(named(operation)) ?? true, "the rule speaks of this operation").toBe(true);
      const own = { ...on.stage, isSampled: false, home: await homeIn(on.running) };
      if (sabotage) await rule.run(named(operation), own);
      await expect(rule.run(named(operation), sabotage?.(own) ?? own)).rejects.toThrow(shows ?? /^answered 20[01] /);
    });
  }
  test("every rule is broken by something planted", () => {
    const unproven = Object.keys(rules).filter((rule) => !planted.some(({ breaks }) => rule.startsWith(breaks)));
    expect(unproven).toEqual([]);
  });
  test("a read that writes", () =>
    expect(leaveNoTrace([named("writesInRead")], on.stage)).rejects.toThrow("audit_log"));
  test("no write where a first call was answered 503, and is made again", async () => {
    const refused = new Set<string>();
    const send: Stage["send"] = async (method, path, options) => {
      const answer = await on.stage.send("GET", "/me");
      const key = options?.key ?? "";
      if (key === "" || refused.has(key)) return on.stage.send(method, path, options);
      refused.add(key);
      return { ...answer, status: 503, headers: new Headers({ "retry-after": "0" }) };
    };
    await leaveNoTrace([named("createWorkspaceLabel")], { ...on.stage, send });
    expect(refused.size).toBeGreaterThan(0);
  });
  test("an operation without a line in fixtures.ts", async () => {
    const [rule] = Object.values(rules) as [Checks[string]];
    await expect(rule.run(named("getTask"), { ...on.stage, fixtures: {} })).rejects.toThrow("no line");
  });
});
