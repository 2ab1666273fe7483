// Pictures in the text that is edited: a file of ours is shown small as soon as its address is known, anything else by its name, because the
// policy of the page lets no picture in from elsewhere.
import type { NodeViewConstructor } from "@tiptap/pm/view";

/** Where the picture of a file is. */
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
