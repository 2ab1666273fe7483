// Where passkeys are not configured, or the service has no domain, their operations are not there.
import { operations } from "@svc/contract/operations.ts";
import { describe, expect, test } from "vitest";
import { service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { relyingPartyOf } from "./webauthn/webauthn.ts";

const all = [...operations.values()].filter(({ path }) => path.startsWith("/auth/passkeys"));

const places = {
  "PASSKEYS=off": { passkeys: false },
  "an IPv4 address for PUBLIC_URL": { publicUrl: "http://127.0.0.1:0" },
};
for (const [what, config] of Object.entries(places))
  describe(`with ${what}`, () => {
    const running = service(config);
    test("every passkey operation answers 404, signed in or not", async () => {
      const { owner } = await world(running);
      expect(all.length).toBe(7);
      for (const { method, path } of all) {
        const at = path.replace("{passkey_id}", newId());
        for (const send of [owner.call, running.send])
          expect(await send(method, at, method === "GET" ? {} : { body: {} })).toMatchObject({
            status: 404,
            body: { code: "not_found" },
          });
      }
    });
  });

test("a passkey belongs to the domain of the public address, and to its one origin", () => {
  expect(relyingPartyOf("https://svc.example.com")).toEqual({
    id: "svc.example.com",
    origin: "https://svc.example.com",
  });
  expect(relyingPartyOf("http://localhost:80")).toEqual({ id: "localhost", origin: "http://localhost" });
  for (const address of ["https://10.0.0.1", "https://[2001:db8::1]:8443", "http://2130706433"])
    expect(relyingPartyOf(address)).toBeNull();
});
