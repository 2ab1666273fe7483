// Title field, edited in place: Enter or losing the focus saves it; a blank title is rejected.
import { useEffect, useRef } from "react";
import { t } from "../messages/t.ts";

interface Props {
  title: string;
  keep: (title: string) => void;
  /** True for a new resource: selects the title on mount. */
  isNew?: boolean;
  className?: string;
}
export function TitleField({ title, keep, isNew = false, className = "" }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  // Applies remote changes unless the field has the focus.
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = title;
  }, [title]);
  useEffect(() => {
    if (isNew) field.current?.select();
  }, [isNew]);
  return (
    <textarea
      ref={field}
      aria-label={t("task.title")}
      defaultValue={title}
      rows={1}
      maxLength={500}
      onBlur={({ currentTarget }) => {
        const typed = currentTarget.value.replace(/\s+/g, " ").trim();
        if (typed !== "" && typed !== title) keep(typed);
        else currentTarget.value = title;
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        event.currentTarget.blur();
      }}
      className={`field-sizing-content w-full resize-none bg-transparent leading-snug outline-none ${className}`}
    />
  );
}
