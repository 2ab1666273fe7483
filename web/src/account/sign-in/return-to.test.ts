// return_to leads to places of this service and nowhere else, in the browser as in the service.
import fc from "fast-check";
import { expect, test } from "vitest";
import { localPath as ofTheService } from "../../../../server/src/accounts/identity/return-to.ts";
import { localPath } from "./return-to.ts";

const ID = "0196a1b2-c3d4-7e5f-8a9b-0123456789ab";

test("places of ours are followed as they are written", () => {
  for (const path of [
    "/",
    "/security",
    "/workspaces/new",
    `/workspaces/${ID}/projects?view=board#c3`,
    "/oauth/authorize?client_id=x&redirect_uri=http%3A%2F%2F127.0.0.1%3A5%2Fcb",
    "/api/v1/dev/oauth/authorize?client_id=svc-cli",
    "/consent?request=a.b.c",
    "/invitation",
    "/email-change",
  ])
    expect(localPath(path)).toBe(path);
});

test("everything else is as if it had not been there", () => {
  for (const path of [
    ...["", "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/.//evil.example"],
    ...["javascript:alert(1)", "data:text/html,x", "/%2fevil.example", "/workspaces/../login", "/\t/evil.example"],
    ...["/login", "/login?return_to=/login", "/signed-out", "/api/v1/auth/logout", "/docs", "security", " /security"],
    ...[
      "/invitation#token=x",
      "/invitation?token=x",
      "/email-change#token=x",
      "/workspaces/a?q=%0d%0a",
      "/security?q=ä",
    ],
    `/workspaces/${"x".repeat(2049 - "/workspaces/".length)}`,
  ])
    expect(localPath(path), JSON.stringify(path)).toBeNull();
  expect(localPath(null)).toBeNull();
});

test("the browser and the service follow the same, but for a page that only the browser returns to", () => {
  const pieces = fc.constantFrom(
    ...[
      "/",
      "\\",
      "..",
      ".",
      "%2f",
      "%0a",
      "?",
      "#",
      "@",
      ":",
      "//",
      "a",
      "\t",
      ";",
      "&",
      "=",
      " ",
      "ä",
      "%",
      "token=",
    ],
    ...[
      "/workspaces/",
      "/oauth/authorize",
      "/api/v1/dev/oauth/authorize",
      "/consent",
      "/invitation",
      "/security",
      "https:",
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 7 }), (parts) => {
      const asked = parts.join("");
      expect(localPath(asked)).toBe(asked === "" ? null : ofTheService(asked));
    }),
    { numRuns: 5000 },
  );
});
