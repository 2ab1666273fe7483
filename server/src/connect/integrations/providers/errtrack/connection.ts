// Connects an error tracker with Sentry's API: with an access token that reads organisations, projects and issues, and
// the tracker's address. Unverified: there is no published package of its answers; they follow its API documentation.
import type { ConnectionAdapter, Resource } from "../../client/provider.ts";
import { ProviderFault } from "../../client/provider-http.ts";
import { pageIn, resourceOf } from "../list-pages.ts";
import { partyOf } from "../oauth.ts";
import { fieldsOf, textOf } from "../untrusted-fields.ts";

/** Next page in the header Link, if there is more. */
const NEXT = /<([^<>]+)>;\s*rel="next";\s*results="true"/;

export const connection: ConnectionAdapter = {
  authorize: ({ access }) => ({ authorization: `Bearer ${access}` }),
  api: (base) => `${base}/api/0`,
  /** Organisation of the token: the first that it lists. */
  async enter(ask) {
    const { body } = await ask("GET", "/organizations/?member=1");
    const [first] = (Array.isArray(body) ? body : []).map(fieldsOf);
    if (!first) throw new ProviderFault("credential_refused");
    const page = pageIn(fieldsOf(first.links).organizationUrl);
    return { ...partyOf(first.slug, first.name), managementUrl: page && `${new URL(page).origin}/settings/` };
  },
  async resources(ask, { externalId }) {
    const found: Resource[] = [];
    let path: string | undefined = `/organizations/${encodeURIComponent(externalId)}/projects/?per_page=100`;
    for (let pages = 0; path !== undefined && pages < 10; pages++) {
      const { body, headers } = await ask("GET", path, { bytes: 8 * 1024 * 1024 });
      if (!Array.isArray(body)) throw new ProviderFault("unreachable");
      for (const { id, slug } of body.map(fieldsOf)) {
        const resource = resourceOf("project", id, textOf(slug, 200), null);
        if (resource) found.push(resource);
      }
      path = NEXT.exec(headers.get("link") ?? "")?.[1];
    }
    return found;
  },
};
