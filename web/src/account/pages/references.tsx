// Links for developers: API reference, OpenAPI document and error catalogue.

import type { ReactNode } from "react";
import { say } from "../../messages/t.ts";
import { Link } from "../../router.tsx";

export function References() {
  return (
    <ul className="grid gap-3 sm:grid-cols-3">
      <Card to="/docs" title={say("Reference")}>
        {say("Every operation, with examples, ready to try.")}
      </Card>
      <Card to="/api/v1/openapi.json" title={say("OpenAPI document")}>
        {say("For code generators and other tools.")}
      </Card>
      <Card to="/problems" title={say("Errors")}>
        {say("What each code means and what to do next.")}
      </Card>
    </ul>
  );
}

export function Card({ to, title, children }: { to: string; title: string; children: ReactNode }) {
  return (
    <li>
      <Link to={to} className="block h-full rounded-lg border border-line p-4 hover:border-accent">
        <span className="block font-medium text-accent">{title}</span>
        <span className="mt-1 block text-sm text-soft">{children}</span>
      </Link>
    </li>
  );
}
