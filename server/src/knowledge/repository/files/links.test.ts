// Links to what lies beside a file: there and back they say the same, and none leads out of the folder.
import { expect, test } from "vitest";
import { attachmentsLinked, inward, outward, placesLinked, relative, resolved } from "./links.ts";

const id = "0190c0de-0000-7000-8000-000000000001";

test("a relative path leads from the file's own folder, and never above the top", () => {
  for (const [file, destination, path] of [
    ["a/b.md", "pic.png", "a/pic.png"],
    ["a/b.md", "../pic.png", "pic.png"],
    ["a/b.md", "./x%20y.png#part", "a/x y.png"],
    ["a.md", "../pic.png", undefined],
    ["a.md", "a/../../../etc/passwd", undefined],
    ["a.md", "/etc/passwd", undefined],
    ["a.md", "https://example.com/a.png", undefined],
    ["a.md", "data:image/png;base64,xx", undefined],
    ["a.md", "#part", undefined],
    ["a.md", "%zz", undefined],
    ["a.md", "\\\\host\\share", undefined],
  ] as const)
    expect(resolved(file, destination), destination).toBe(path);
});

test("out and in again is the same text, from wherever the file is", () => {
  const text = `![x](attachment:${id}) and [f](attachment:${id} "t")\n\n\`\`\`\n![x](attachment:${id})\n\`\`\`\n`;
  for (const file of ["a.md", "x/y/a.md"]) {
    const path = "x/attachments/a b (1).png";
    const written = outward(file, text, (each) => (each === id ? path : undefined));
    expect(written).toContain(`![x](${relative(file, path)})`);
    expect(written).toContain(`\`\`\`\n![x](attachment:${id})`);
    expect(placesLinked(file, written)).toEqual([path]);
    expect(inward(file, written, (each) => (each === path ? id : undefined))).toBe(text);
  }
  expect(attachmentsLinked(text)).toEqual([id]);
  expect(outward("a.md", text, () => undefined)).toBe(text);
});
