// Renders Markdown. The renderer loads with the first text; until then the source appears as plain text.
import { lazy, Suspense } from "react";

const Drawn = lazy(() => import("./content-view.tsx"));

export function Markdown({ text, className = "" }: { text: string; className?: string }) {
  const plain = <p className="whitespace-pre-wrap">{text}</p>;
  return (
    <div className={`rich ${className}`}>
      <Suspense fallback={plain}>
        <Drawn markdown={text} />
      </Suspense>
    </div>
  );
}
