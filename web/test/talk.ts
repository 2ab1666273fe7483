// The conversation as somebody sits before it, for tests.
import type { browser } from "../../server/test/browser.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { type TestService, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";

export async function talkingIn(where: TestService, chromium: ReturnType<typeof browser>) {
  const home = await world(where);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears" });
  const ada = await seat(where, chromium, home);
  await ada.page.setViewportSize({ width: 1280, height: 800 });
  const { page } = ada;
  const panel = page.getByRole("complementary", { name: "Assistant" });
  const field = panel.getByLabel("Your question or request");
  const answer = panel.locator('[data-message="assistant"]').last();
  return {
    home,
    project,
    task,
    ada,
    page,
    panel,
    field,
    answer,
    async open(path = "projects/ENG") {
      await ada.goTo(path);
      await ada.settled();
      await page.keyboard.press("Control+j");
      await field.waitFor();
    },
    async ask(text: string) {
      await field.fill(text);
      await field.press("Enter");
    },
    completed: () => panel.locator('[data-generation="completed"]').last().waitFor(),
  };
}
