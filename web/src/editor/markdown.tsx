// Shows a text that is written in Markdown. What draws it is loaded when the first one is shown; until then its letters stand there plainly.
import { lazy, Suspense } from "react";

const Drawn = lazy(() => import("./drawn.tsx"));

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
