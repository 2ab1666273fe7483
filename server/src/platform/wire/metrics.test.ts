// What is served at /metrics, held against the rules that promtool checks: each family with its help and type, named by
// them.
import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

test("every metric has a help text and a type, and counters alone end in _total", async () => {
  const metrics = createMetrics();
  metrics.observe("getTask", 200, null, 0.01, 1);
  metrics.observe("getTask", 404, "not_found", 0.2, 1);
  const lines = (await metrics.text()).split("\n");
  const types = new Map(
    lines.flatMap((line) => [...line.matchAll(/^# TYPE (\S+) (\S+)$/g)].map((at) => [at[1], at[2]])),
  );
  const helped = lines.flatMap((line) => /^# HELP (\S+) \S/.exec(line)?.[1] ?? []);
  expect([...types.keys()].sort()).toEqual([...helped].sort());
  expect(new Set(helped).size).toBe(helped.length);
  for (const [name = "", type] of types) {
    expect(name, name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(name.endsWith("_total"), `${name} is a ${type}`).toBe(type === "counter");
    expect(name, "in base units").not.toMatch(/(?:milliseconds|_ms|minutes|kilobytes|megabytes|percent)(?:_|$)/);
  }
  for (const line of lines.filter((each) => each !== "" && !each.startsWith("#"))) {
    const name = /^[a-z0-9_]+/.exec(line)?.[0] ?? "";
    const family = types.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, "");
    expect(types.has(family), line).toBe(true);
  }
});

test("refusals are counted by code", async () => {
  const metrics = createMetrics();
  for (const code of ["not_found", "forbidden", "not_found", null])
    metrics.observe("getTask", code === null ? 200 : 404, code, 0.01, 1);
  const counts = (await metrics.text()).split("\n").filter((line) => line.startsWith("svc_refused_total"));
  expect(counts).toEqual(['svc_refused_total{code="not_found"} 2', 'svc_refused_total{code="forbidden"} 1']);
});
