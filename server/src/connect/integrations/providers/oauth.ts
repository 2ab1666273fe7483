// Shared code of OAuth 2 providers: the authorisation address, and the exchange of a code for tokens.
import type { App } from "../../../platform/settings/apps-config.ts";
import type { Ask, Party, ProviderTokens } from "../client/provider.ts";
import { ProviderFault } from "../client/provider-http.ts";
import { fieldsOf, textOf } from "./untrusted-fields.ts";

export function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Throws if there are none. The expiry is by our clock, and a little before the provider's. */
export function tokensOf(body: unknown): ProviderTokens {
  const { access_token, refresh_token, expires_in } = fieldsOf(body);
  const access = tokenIn(access_token);
  const seconds = Number(expires_in);
  const refresh = typeof refresh_token === "string" && refresh_token !== "" ? tokenIn(refresh_token) : undefined;
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(Number.isFinite(seconds) && seconds > 0 && { expiresAt: new Date(Date.now() + seconds * 1000).toISOString() }),
  };
}
/** A token with characters that a header may contain. */
export function tokenIn(value: unknown): string {
  if (typeof value !== "string" || !/^[\x21-\x7e]{1,4000}$/.test(value)) throw new ProviderFault("credential_refused");
  return value;
}

/** A refusal here concerns the code or the token. */
export async function granted(
  ask: Ask,
  address: string,
  form: Record<string, string>,
  headers?: Record<string, string>,
) {
  try {
    return (await ask("POST", address, { form, ...(headers && { headers }) })).body;
  } catch (error) {
    if (error instanceof ProviderFault && error.code === "refused") throw new ProviderFault("credential_refused");
    throw error;
  }
}

export const clientOf = ({ client_id = "", client_secret = "" }: App) => ({ client_id, client_secret });

/** Throws without an id and a name. */
export function partyOf(externalId: unknown, name: unknown): Party {
  const [id, called] = [textOf(externalId, 200), textOf(name, 200)];
  if (id === "" || called === "") throw new ProviderFault("unreachable");
  return { externalId: id, name: called };
}
