// Section of the Task panel: heading, tools and content.
import type { ReactNode } from "react";

interface Props {
  title: string;
  count?: number;
  tools?: ReactNode;
  children?: ReactNode;
}
export function Section({ title, count = 0, tools, children }: Props) {
  return (
    <section aria-label={title} className="mt-4">
      <header className="flex h-8 items-center gap-2">
        <h2 className="font-semibold">{title}</h2>
        {count > 0 && <span className="text-12 text-soft tabular-nums">{count}</span>}
        <span className="flex-1" />
        {tools}
      </header>
      {children}
    </section>
  );
}
