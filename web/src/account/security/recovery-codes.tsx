// Recovery codes, displayed once to copy, print or write down. The browser never stores them.

import { useEffect, useRef, useState } from "react";
import { say } from "../../messages/t.ts";
import { Button, Notice } from "../page-elements.tsx";

export function RecoveryCodes({ codes, done }: { codes: string[]; done: () => void }) {
  const [copied, setCopied] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  const copy = () => navigator.clipboard.writeText(codes.join("\n")).then(() => setCopied(true));
  return (
    <div ref={box} tabIndex={-1} className="outline-none">
      <Notice tone="good" title={say("Keep these recovery codes in a safe place")}>
        {say("Each works once, should you lose your authenticator. They are not shown again.")}
      </Notice>
      <ul className="my-4 grid grid-cols-1 gap-x-6 gap-y-1 rounded-lg border border-line bg-sunken p-4 font-mono min-[400px]:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3">
        <Button small onClick={copy}>
          <span aria-live="polite">{copied ? say("Copied") : say("Copy")}</span>
        </Button>
        <Button small onClick={() => print()}>
          {say("Print")}
        </Button>
        <Button small first onClick={done}>
          {say("I have kept them")}
        </Button>
      </div>
    </div>
  );
}
