// The Documents and a real Git repository, as somebody sees them who manages both: what differs is shown side by side,
// decided, and in step afterwards.
import { expect, test } from "vitest";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { repositories } from "../../server/test/repository.ts";
import { looked, seat } from "./app.ts";

const { running, connect } = await repositories({ roles: ["api", "worker", "realtime"] });
const chromium = browser();

test("a conflict with the repository is shown side by side and decided, and the next run brings both in step", async () => {
  const place = await connect();
  const { id } = await place.document("Plan", {}, "Base\n");
  await place.run();
  place.clone.pull();
  const file = place.clone.read("plan.md");
  place.clone.write("plan.md", file.replace("Base", "Theirs"));
  place.clone.push();
  await place.write(id, "Ours\n");
  const ada = await seat(running, chromium, place);
  const { page } = ada;
  await ada.goTo("documents");
  const state = page.getByRole("region", { name: "Git repository" });
  await state.getByText(/^In step since/).waitFor();
  await state.getByRole("button", { name: "Synchronise now" }).click();
  await state.getByRole("button", { name: "1 conflict" }).click();
  const conflict = page.getByRole("region", { name: "plan.md" });
  await conflict.getByText("both changed it").waitFor();
  for (const text of ["Ours", "Theirs"]) await conflict.getByText(text).first().waitFor();
  await looked(ada, "repository-conflict");
  await conflict.getByRole("button", { name: "Take the file" }).click();
  await page.getByText("Nothing has to be decided").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await state.getByRole("button", { name: "1 conflict" }).waitFor({ state: "detached" });
  expect((await place.read(id)).markdown).toBe("Theirs\n");
  // And the other way: what is written here is a file there.
  await place.write(id, "Both\n");
  await state.getByRole("button", { name: "Synchronise now" }).click();
  await state.getByRole("button", { name: "Synchronise now" }).waitFor();
  await eventually(() => {
    place.clone.pull();
    expect(place.clone.read("plan.md")).toBe(file.replace("Base", "Both"));
  });
  const bob = await seat(running, chromium, place, await place.member("member"));
  await bob.goTo("documents");
  await bob.page.getByText("Plan").first().waitFor();
  await bob.settled();
  expect(await bob.page.getByRole("region", { name: "Git repository" }).count()).toBe(0);
});
