// Picture of a person or Workspace: choose or drop a file, preview, remove. The service crops it to the central square.
import { type ReactNode, useId, useState } from "react";
import { t } from "../messages/t.ts";
import { Button } from "../ui/controls.tsx";
import { useFresh } from "../ui/fresh-picture.ts";
import { Block, useAct } from "./elements/form-elements.tsx";

const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const MOST_BYTES = 5 * 1024 * 1024;

interface Props {
  title: string;
  lead: string;
  /** URL of the picture; null if there is none. */
  src: string | null;
  /** Placeholder without a picture. */
  children: ReactNode;
  put: (file: File) => Promise<unknown>;
  remove: () => Promise<unknown>;
  disabled?: boolean;
}
export function PictureBlock({ title, lead, src, children, put, remove, disabled }: Props) {
  const id = useId();
  const { act, busy, said } = useAct();
  const [fault, setFault] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const choose = (file: File | undefined) => {
    if (!file || busy) return;
    const wrong = !TYPES.includes(file.type) ? "picture.kind" : file.size > MOST_BYTES ? "picture.size" : null;
    setFault(wrong && t(wrong));
    if (!wrong) void act(() => put(file));
  };
  return (
    <Block title={title} lead={lead}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a file can be dropped here; the button does the same. */}
      <div
        onDragOver={(event) => {
          if (disabled || !event.dataTransfer.types.includes("Files")) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (!disabled) choose(event.dataTransfer.files[0]);
        }}
        className={`flex flex-wrap items-center gap-3 rounded-lg border border-dashed p-3 ${isOver ? "border-accent bg-hover" : "border-line"}`}
      >
        {src ? <Shown src={src} title={title} /> : children}
        {!disabled && (
          <>
            <input
              id={id}
              type="file"
              accept={TYPES.join(",")}
              onChange={(event) => {
                choose(event.target.files?.[0]);
                event.target.value = "";
              }}
              className="peer sr-only"
            />
            <label
              htmlFor={id}
              className="btn btn-plain peer-focus-visible:outline-2 peer-focus-visible:outline-accent"
            >
              {src ? t("picture.other") : t("picture.choose")}
            </label>
            {src && (
              <Button look="quiet" aria-disabled={busy || undefined} onClick={() => void act(remove)}>
                {t("picture.remove")}
              </Button>
            )}
          </>
        )}
        {fault ? (
          <span role="alert" className="text-bad">
            {fault}
          </span>
        ) : (
          said
        )}
      </div>
    </Block>
  );
}

function Shown({ src, title }: { src: string; title: string }) {
  return <img src={useFresh(src)} alt={title} className="size-16 rounded-xl object-cover" />;
}
