// return_to leads to places of this service and nowhere else.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { homeOf, localPath } from "./return-to.ts";

const ID = "0196a1b2-c3d4-7e5f-8a9b-0123456789ab";

test("places of ours are followed as they are written", () => {
  const places = [
    "/",
    "/?tab=1#top",
    "/security",
    "/email-change",
    "/workspaces/new",
    `/workspaces/${ID}`,
    `/workspaces/${ID}/projects`,
    `/workspaces/acme/tasks/ENG-1?view=board&filter=a%20b#comment-3`,
    `/workspaces/${ID}/projects/ENG?q=%C3%A4#%C3%B6`,
    "/oauth/authorize?response_type=code&client_id=x&redirect_uri=http%3A%2F%2F127.0.0.1%3A5%2Fcb&state=%7B%7D",
    "/api/v1/mobile/oauth/authorize?client_id=svc-mobile&redirect_uri=svc%3A%2F%2Foauth%2Fcallback",
    "/api/v1/dev/oauth/authorize?client_id=svc-cli",
    "/api/v1/dev/oauth/authorize?client_id=svc-cli&state=x",
    "/api/v1/mobile/oauth/authorize?client_id=x",
    "/consent?request=abc",
    "/invitation",
    "/invitation?from=mail",
    `/workspaces/${"x".repeat(2048 - "/workspaces/".length)}`,
  ];
  for (const path of places) expect(localPath(path)).toBe(path);
});

describe("ignored", () => {
  const tricks: Record<string, string[]> = {
    "another host": [
      "https://evil.example",
      "http://evil.example/workspaces/a",
      "//evil.example",
      "//evil.example/workspaces/a",
      "///evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "\\/evil.example",
      "/workspaces//evil.example",
      "/workspaces/a//evil.example",
      "/.//evil.example",
      "/workspaces/..//evil.example",
      "@evil.example",
      "/@evil.example",
      "evil.example/workspaces/a",
      "https:/workspaces/a",
      "https:workspaces/a",
    ],
    "another scheme": ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "blob:x"],
    "encoded tricks": [
      "/%2fevil.example",
      "/%2Fevil.example",
      "/%5cevil.example",
      "/workspaces/%2e%2e/login",
      "/workspaces/%2e%2e%2flogin",
      "/workspaces/a%2f%2fevil.example",
      "/workspaces/a%00",
      "/workspaces/a%252f",
      "%2f%2fevil.example",
      "/workspaces/a?q=%0d%0aset-cookie:x=y",
      "/workspaces/a?q=%00",
      "/workspaces/a#%7f",
      "/workspaces/a?q=%c2%85",
      "/workspaces/a?q=%",
      "/workspaces/a?q=%zz",
      "/workspaces/a?q=%c0%af",
      "/workspaces/a?q=%ff",
    ],
    dots: ["/workspaces/.", "/workspaces/..", "/workspaces/../login", "/workspaces/a/../../login", "/workspaces/.git"],
    "control characters and spaces": [
      "/\t/evil.example",
      "/workspaces/a\r\nset-cookie: x=y",
      "/workspaces/a\n",
      "/workspaces/a\0",
      " /workspaces/a",
      "/workspaces/a ",
      "/workspaces/a?q=a b",
      "/workspaces/a?\n",
      "/workspaces/a#\r",
      "\u2028/workspaces/a",
      "/workspaces/a\u200b",
    ],
    "characters that browsers repair": [
      "/workspaces/ä",
      "/workspaces/a?q=ä",
      "/workspaces/a?q=\\",
      '/workspaces/a?q="',
      "/workspaces/a?q=<script>",
      "/workspaces/a?q='",
      "/workspaces/a#`",
      "/workspaces/a|b",
      "/workspaces/a;b",
      "／／evil.example",
      "/workspaces/a#b#c",
      "/workspaces/\ud800",
    ],
    "other places of ours": [
      "",
      "/login",
      "/login?return_to=/login",
      "/register",
      "/reset#token=x",
      "/workspaces",
      "/workspaces/",
      `/workspaces/${ID}/`,
      "/api/v1/me",
      "/api/v1/auth/logout",
      "/api/v1/auth/providers/google/authorize",
      "/oauth/token",
      "/oauth/authorize/x",
      "/api/v1/oauth/authorize",
      "/api/v1/dev/oauth/token",
      "/dev/oauth/authorize",
      "/oauth/authorize/",
      "/consents",
      "/docs",
      "workspaces/a",
    ],
    "the token of an invitation": [
      "/invitation#token=x",
      "/invitation#x",
      "/invitation?token=x",
      "/invitation?a=1&token=x",
      "/invitation?%74oken=x",
      "/invitation/svc_inv_abc",
      "/invitations",
    ],
    "too long": [`/workspaces/${"x".repeat(2049 - "/workspaces/".length)}`],
  };
  for (const [what, all] of Object.entries(tricks))
    test(what, () => {
      for (const returnTo of all) expect(localPath(returnTo), JSON.stringify(returnTo)).toBeNull();
    });
  test("nothing at all", () => expect(localPath(undefined)).toBeNull());
});

test("whatever is followed stays on this origin, unchanged by a browser's reading, and is one clean header", () => {
  const origin = "https://svc.example";
  const pieces = fc.constantFrom(
    ...[
      "/",
      "\\",
      "..",
      ".",
      "%2f",
      "%5C",
      "%0a",
      "?",
      "#",
      "@",
      ":",
      "//",
      "workspaces",
      "evil.example",
      "a",
      "\t",
      "\n",
    ],
    ...[
      "/workspaces/",
      "/oauth/authorize",
      "/consent",
      "/invitation",
      "token=",
      "https:",
      ";",
      "&",
      "=",
      " ",
      "ä",
      "%",
    ],
  );
  const anything = fc.oneof(
    fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
    fc.array(pieces, { maxLength: 6 }).map((parts) => `/workspaces/a${parts.join("")}`),
    fc.string({ maxLength: 40 }),
  );
  let followed = 0;
  fc.assert(
    fc.property(anything, (returnTo) => {
      const path = localPath(returnTo);
      if (path === null) return;
      followed++;
      const url = new URL(path, origin);
      expect([url.origin, url.href]).toEqual([origin, origin + path]);
      expect(path).toMatch(/^[\x21-\x7e]+$/);
    }),
    { numRuns: 20_000 },
  );
  expect(followed).toBeGreaterThan(100);
});

test("without a place to return to, the Workspace or the creation of one", () => {
  expect(homeOf(ID)).toBe("/");
  expect(homeOf(null)).toBe("/workspaces/new");
});
