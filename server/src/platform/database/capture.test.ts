import { expect, test } from "vitest";
import { captured } from "./capture.ts";

const body = (bytes: number) => captured(async () => ({ body: "ä".repeat(bytes / 2) }));

test("a capture holds 1,048,576 bytes and no more, counted as they are sent", async () => {
  expect((await body(1_048_576)).body).toHaveLength(524_288);
  await expect(body(1_048_578)).rejects.toMatchObject({ code: "baseline_bounds" });
});

test("where the database has no time there is none, and any other fault stays what it is", async () => {
  const failing = (code: string) =>
    captured(async () => {
      throw Object.assign(new Error("x"), { code });
    });
  for (const code of ["57014", "55P03", "53300", "ECONNRESET"])
    await expect(failing(code)).rejects.toMatchObject({ code: "baseline_unavailable", extra: { retry_after: 1 } });
  await expect(failing("42P01")).rejects.toMatchObject({ code: "42P01" });
});
