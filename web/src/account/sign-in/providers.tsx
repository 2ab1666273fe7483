// Buttons of the sign-in providers. Each is a plain link: the service redirects the browser to the provider.

import { say } from "../../messages/t.ts";
import { useAddress } from "../../router.tsx";
import { returnToOf } from "./finish-sign-in.ts";
import { offers } from "./offers.ts";

export const providerNames: Record<string, string> = { google: "Google", microsoft: "Microsoft", apple: "Apple" };

export function Providers() {
  const returnTo = returnToOf(useAddress());
  const query = returnTo ? `?return_to=${encodeURIComponent(returnTo)}` : "";
  return offers.providers.map((provider) => (
    <a key={provider} className="button button-plain" href={`/api/v1/auth/providers/${provider}/authorize${query}`}>
      {say("Continue with {name}", { name: providerNames[provider] ?? provider })}
    </a>
  ));
}
