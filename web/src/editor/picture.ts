// Node view of images: shows the preview of an attachment as soon as its URL arrives. External images show only their
// name, because the Content-Security-Policy blocks them.
import type { NodeViewConstructor } from "@tiptap/pm/view";

/** Resolves the preview URL of an attachment. */
export type Preview = (attachmentId: string) => Promise<string>;
const ATTACHED = /^attachment:([0-9a-f-]{36})$/i;

export const pictures =
  (preview: Preview): NodeViewConstructor =>
  (node) => {
    const dom = document.createElement("span");
    dom.className = "rich-image";
    const { src, alt } = node.attrs as { src: string; alt: string };
    const id = ATTACHED.exec(src)?.[1];
    const name = document.createElement("span");
    name.className = "rich-file";
    name.textContent = alt || src;
    dom.append(name);
    if (id)
      preview(id).then(
        (url) => {
          const image = document.createElement("img");
          image.src = url;
          image.alt = alt;
          image.className = "rich-picture";
          name.replaceWith(image);
        },
        () => {},
      );
    return { dom };
  };
