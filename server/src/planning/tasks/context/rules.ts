// Pure rules: fits a Task context into a maximum of items and of bytes of the encoded response. Related Tasks and
// Documents come first, then comments, and the description gets the rest; unused budget of one part goes to the others.

export const profiles = {
  compact: { bytes: 16 * 1024, related: 20, comments: 10 },
  full: { bytes: 64 * 1024, related: 100, comments: 50 },
} as const;
export type ProfileName = keyof typeof profiles;
/** A comment gets at most 1/16 of the budget. */
const COMMENT_SHARE = 16;
export const MOST_OF_A_COMMENT = profiles.full.bytes / COMMENT_SHARE;

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** The longest prefix whose encoding fits into `most` bytes, without quotes. Never splits a character. */
export function beginning(text: string, most: number): string {
  if (text.length <= most && bytes(text) - 2 <= most) return text;
  let [fits, tooLong] = [0, Math.min(text.length, most) + 1];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    // A lone surrogate is encoded in six bytes, a whole pair in four.
    if (bytes(whole(text, middle)) - 2 <= most) fits = middle;
    else tooLong = middle;
  }
  return whole(text, fits);
}
const whole = (text: string, length: number) => {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
};

/** The first items that fit into the budget, and the remaining budget. */
function take<T>(items: readonly T[], budget: number) {
  let [left, count] = [budget, 0];
  for (const item of items) {
    const cost = bytes(item) + 1;
    if (cost > left) break;
    left -= cost;
    count++;
  }
  return { taken: items.slice(0, count), left };
}

interface Comment {
  markdown: string;
  truncated: boolean;
}
/** All contents of a context, up to one item more per part than the profile allows; newest comment first. */
export interface Material<Task extends { description_markdown: string }, Related, Linked, Said extends Comment, Rest> {
  task: Task;
  related: Related[];
  /** Documents linked to the Task. */
  documents: Linked[];
  comments: Said[];
  inaccessible: boolean;
  rest: Rest;
}

const PARTS = ["description", "related", "documents", "comments"] as const;
type Part = (typeof PARTS)[number];

const marksOf = (profile: ProfileName, inaccessible: boolean) => ({
  profile,
  content_trust: "untrusted" as const,
  // No providers are connected, so none can be unavailable.
  unavailable_providers: [] as string[],
  inaccessible,
});

export function contextOf<
  Task extends { description_markdown: string },
  Related,
  Linked,
  Said extends Comment,
  Rest extends object,
>(profile: ProfileName, material: Material<Task, Related, Linked, Said, Rest>) {
  const { task, inaccessible, rest } = material;
  const most = profiles[profile];
  const related = material.related.slice(0, most.related);
  const documents = material.documents.slice(0, most.related - related.length);
  const comments = material.comments.slice(0, most.comments).map((comment) => {
    const markdown = beginning(comment.markdown, most.bytes / COMMENT_SHARE);
    return { ...comment, markdown, truncated: comment.truncated || markdown.length < comment.markdown.length };
  });
  const context = {
    ...marksOf(profile, inaccessible),
    truncated: [...PARTS] as Part[],
    task: { ...task, description_markdown: "" },
    ...rest,
    related: [] as Related[],
    documents: [] as Linked[],
    comments: [] as Said[],
  };
  const room = Math.max(0, most.bytes - bytes(context));
  const [forRelated, forComments] = [room >> 2, (room * 3) >> 3];
  const firstRelated = take(related, forRelated);
  const firstDocuments = take(documents, firstRelated.left);
  const firstComments = take(comments, forComments);
  const used = forRelated - firstDocuments.left + forComments - firstComments.left;
  const text = beginning(task.description_markdown, room - used);
  const moreRelated = take(related.slice(firstRelated.taken.length), room - used - (bytes(text) - 2));
  const moreDocuments = take(documents.slice(firstDocuments.taken.length), moreRelated.left);
  const moreComments = take(comments.slice(firstComments.taken.length), moreDocuments.left);
  const shown = {
    related: [...firstRelated.taken, ...moreRelated.taken],
    documents: [...firstDocuments.taken, ...moreDocuments.taken],
    comments: [...firstComments.taken, ...moreComments.taken],
  };
  const truncated = [
    text.length < task.description_markdown.length && "description",
    shown.related.length < material.related.length && "related",
    shown.documents.length < material.documents.length && "documents",
    (shown.comments.length < material.comments.length || shown.comments.some((comment) => comment.truncated)) &&
      "comments",
  ].filter((part) => part !== false);
  return {
    ...context,
    truncated,
    task: { ...task, description_markdown: text },
    related: shown.related,
    documents: shown.documents,
    comments: shown.comments.reverse(),
  };
}

/** Related Tasks only: by a relation, then by the same Milestone. Each appears once. */
export function relatedOf<Related extends { id: string }, Sibling extends { id: string }>(
  profile: ProfileName,
  taskId: string,
  material: { related: Related[]; siblings: Sibling[]; inaccessible: boolean },
) {
  const most = profiles[profile];
  const context = {
    ...marksOf(profile, material.inaccessible),
    truncated: ["related", "milestone_tasks"] as ("related" | "milestone_tasks")[],
    task_id: taskId,
    related: [] as Related[],
    milestone_tasks: [] as Sibling[],
  };
  const { taken: related, left } = take(material.related.slice(0, most.related), most.bytes - bytes(context));
  const shown = new Set(related.map(({ id }) => id));
  const others = material.siblings.filter(({ id }) => !shown.has(id));
  const { taken: siblings } = take(others.slice(0, most.related - related.length), left);
  const truncated = [
    related.length < material.related.length && "related",
    siblings.length < others.length && "milestone_tasks",
  ].filter((part) => part !== false);
  return { ...context, truncated, related, milestone_tasks: siblings };
}
