// How clients find their way: the documents that they read before anything else.
import { expect, test } from "vitest";
import { service } from "../../../test/world.ts";

const running = service();
const read = async (path: string, init?: RequestInit) => fetch(`${running.url}/.well-known/${path}`, init);

test("the authorization server describes itself under its own issuer", async () => {
  const answer = await read("oauth-authorization-server");
  expect(answer.headers.get("content-type")).toContain("application/json");
  const body = (await answer.json()) as Record<string, unknown>;
  expect(body).toMatchObject({
    issuer: running.url,
    authorization_endpoint: `${running.url}/oauth/authorize`,
    token_endpoint: `${running.url}/oauth/token`,
    registration_endpoint: `${running.url}/oauth/register`,
    revocation_endpoint: `${running.url}/oauth/revoke`,
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  expect((body.scopes_supported as string[]).length).toBe(37);
  for (const [name, url] of Object.entries(body).filter(([key]) => key.endsWith("_endpoint"))) {
    const { status } = await fetch(url as string, { method: name === "authorization_endpoint" ? "GET" : "POST" });
    expect([name, status]).toEqual([name, 400]);
  }
});

test("the protected resource names itself and its authorization server, at both addresses", async () => {
  for (const path of ["oauth-protected-resource", "oauth-protected-resource/mcp"])
    expect(await (await read(path)).json()).toMatchObject({
      resource: `${running.url}/mcp`,
      authorization_servers: [running.url],
      scopes_supported: ["svc:read", "svc:write"],
      bearer_methods_supported: ["header"],
    });
});

test("the resource that it describes is there: without a credential it says where to get one", async () => {
  expect(await (await read("oauth-protected-resource/mcp")).json()).toMatchObject({ resource_name: "svc" });
  const answer = await fetch(`${running.url}/mcp`, { method: "POST", body: "{}" });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toContain(
    `resource_metadata="${running.url}/.well-known/oauth-protected-resource/mcp"`,
  );
});

test("a script of any origin may read them", async () => {
  const headers = { origin: "https://elsewhere.example" };
  for (const path of ["oauth-authorization-server", "oauth-protected-resource", "oauth-protected-resource/mcp"]) {
    const preflight = await read(path, {
      method: "OPTIONS",
      headers: { ...headers, "access-control-request-method": "GET" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    const answer = await read(path, { headers });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("x-correlation-id")).toBeTruthy();
  }
});
