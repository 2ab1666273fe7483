// Renders content of the schema shared by service and browser, as elements and never as HTML, so that user text cannot
// inject markup. Links open only if their protocol is allowed, and images only if they are attachments.
import { check, type DocumentJson, fromMarkdown, InvalidContent, type NodeJson } from "@svc/document/document.ts";
import { createElement, Fragment, type ReactNode, useMemo } from "react";
import { t } from "../messages/t.ts";
import { AttachedFile, AttachedPicture, attachmentIn } from "./attachments.tsx";
import { Mention } from "./mention.tsx";
import { isSafeAddress } from "./safe-address.ts";

interface Props {
  markdown?: string;
  content?: unknown;
  /** Element id of a heading, by its number, so that an outline can link to it. */
  anchor?: (heading: number) => string;
}
export default function Drawn({ markdown, content, anchor }: Props) {
  const read = useMemo(() => {
    try {
      return content === undefined ? fromMarkdown(markdown ?? "") : check(content);
    } catch (error) {
      if (error instanceof InvalidContent) return null;
      throw error;
    }
  }, [markdown, content]);
  if (!read) return <p className="whitespace-pre-wrap">{markdown}</p>;
  return <>{drawing(read, anchor)}</>;
}

const marks: Record<string, string> = {
  bold: "strong",
  italic: "em",
  strike: "s",
  underline: "u",
  highlight: "mark",
  code: "code",
};
function Anchored({ href, children }: { href: unknown; children?: ReactNode }) {
  if (!isSafeAddress(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function drawing(content: DocumentJson, anchor?: (heading: number) => string): ReactNode {
  let headings = 0;
  // biome-ignore lint/suspicious/noArrayIndexKey: nothing moves in a text that is only shown.
  const all = (nodes: readonly NodeJson[] = []) => nodes.map((node, at) => <Fragment key={at}>{one(node)}</Fragment>);
  const within = (tag: string) => (node: NodeJson) => createElement(tag, null, ...all(node.content));
  const table = ({ content: rows = [] }: NodeJson) => {
    const aligned = (rows[0]?.content ?? []).map(({ attrs }) => String(attrs?.align ?? "left"));
    const row = ({ content: cells = [] }: NodeJson, tag: "th" | "td", place = 0) => (
      <tr key={place}>
        {cells.map((cell, at) =>
          createElement(
            tag,
            { key: at, "data-align": aligned[at], scope: tag === "th" ? "col" : undefined },
            ...all(cell.content),
          ),
        )}
      </tr>
    );
    const [head, ...body] = rows;
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard, too.
      <div className="rich-table" tabIndex={0}>
        <table>
          <thead>{head && row(head, "th")}</thead>
          <tbody>{body.map((each, at) => row(each, "td", at))}</tbody>
        </table>
      </div>
    );
  };
  const picture = ({ attrs = {} }: NodeJson) => {
    const alt = String(attrs.alt ?? "");
    const id = attachmentIn(attrs.src);
    const link = attrs.link as { href?: unknown } | null | undefined;
    // The Content-Security-Policy blocks external images: link to them instead.
    if (id === null) return <Anchored href={attrs.src}>{alt || String(attrs.src)}</Anchored>;
    const shown = <AttachedPicture id={id} alt={alt} />;
    return link ? <Anchored href={link.href}>{shown}</Anchored> : shown;
  };
  const marked = ({ text, marks: on = [] }: NodeJson) =>
    on.reduce<ReactNode>(
      (inside, { type, attrs }) =>
        type === "link"
          ? createElement(Anchored, { href: attrs?.href }, inside)
          : createElement(marks[type] ?? "span", null, inside),
      text,
    );
  const shapes: Record<string, (node: NodeJson) => ReactNode> = {
    text: marked,
    paragraph: within("p"),
    heading: (node) => {
      const level = Math.min(6, Number(node.attrs?.level) + 1);
      return createElement(`h${level}`, anchor ? { id: anchor(headings++) } : null, ...all(node.content));
    },
    bullet_list: within("ul"),
    ordered_list: (node) => <ol start={Number(node.attrs?.start ?? 1)}>{all(node.content)}</ol>,
    list_item: within("li"),
    task_item: (node) => (
      <li data-task={node.attrs?.checked ? "done" : "open"}>
        <span role="img" aria-label={t(node.attrs?.checked ? "edit.done" : "edit.open")} className="rich-box" />
        <div>{all(node.content)}</div>
      </li>
    ),
    blockquote: within("blockquote"),
    callout: (node) => (
      <div data-callout={String(node.attrs?.kind)} role="note">
        <p className="rich-kind">{t(`edit.callout.${node.attrs?.kind as "note"}`)}</p>
        {all(node.content)}
      </div>
    ),
    details: within("details"),
    summary: within("summary"),
    code_block: (node) => (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard, too.
      <pre tabIndex={0} data-language={node.attrs?.language ? String(node.attrs.language) : undefined}>
        <code>{(node.content ?? []).map(({ text }) => text).join("")}</code>
      </pre>
    ),
    table,
    divider: () => <hr />,
    footnote: (node) => (
      <div className="rich-footnote">
        <sup>{String(node.attrs?.label)}</sup>
        <div>{all(node.content)}</div>
      </div>
    ),
    footnote_reference: (node) => <sup>{String(node.attrs?.label)}</sup>,
    hard_break: () => <br />,
    image: picture,
    file: (node) => <AttachedFile id={String(node.attrs?.attachment_id)} name={String(node.attrs?.name)} />,
    mention: ({ attrs = {} }) => (
      <Mention kind={String(attrs.kind)} id={String(attrs.id)} label={String(attrs.label)} />
    ),
  };
  const one = (node: NodeJson): ReactNode => shapes[node.type]?.(node) ?? all(node.content);
  return all(content.content);
}
