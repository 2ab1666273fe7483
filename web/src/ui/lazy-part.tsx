// Lazy component that renders at once if its chunk is loaded. React's own `lazy` suspends first even then, and its
// fallback stays for 300 ms.
import { type ComponentType, lazy } from "react";

export type Later<Props> = ComponentType<Props> & {
  /** Preloads the chunk; a failed load is retried on render. */
  fetch(): Promise<void>;
};

export function later<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>): Later<Props> {
  let Here: ComponentType<Props> | null = null;
  const come = async () => {
    const file = await load();
    Here = file.default;
    return file;
  };
  const Coming = lazy(come);
  const part = (props: Props) => (Here ? <Here {...props} /> : <Coming {...props} />);
  return Object.assign(part, {
    fetch: () =>
      come().then(
        () => {},
        () => {},
      ),
  });
}
