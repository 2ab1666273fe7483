// Rules about the words of comments: a comment begins with its subject, and uses the terms of the field. Pure, so that
// comment-rules.test.ts can plant comments that break them.

/** Words that begin a sentence without a subject. */
const OBLIQUE = /^(?:What|Of|As|Where|Whoever|Its|One that)\b/;
/** Everyday phrases in the place of a term that a newcomer can look up. */
const VAGUE = /\b(?:(?:is|are|was|were|be|been) (?:told|said|looked at|kept)|in place of|wanted is|stands?)\b/i;
/** Comments that programs read. */
const FOR_PROGRAMS = /^(?:biome-ignore|-{3,}|@|region)/;
const LINE = /^\s*\/\/ ?(.*)$/;
const AFTER_CODE = /[;,{}()[\]\w"'`]\s+\/\/ (.*)$/;
const BLOCK_START = /^\s*\/\*\*?/;

export interface Comment {
  line: number;
  text: string;
}

/** Comments of a source; lines of one comment are joined. */
export function commentsOf(source: string): Comment[] {
  const found: Comment[] = [];
  let last: Comment | undefined;
  let inBlock = false;
  for (const [at, line] of source.split("\n").entries()) {
    const isBlock: boolean = inBlock || BLOCK_START.test(line);
    const words = isBlock ? line.replace(BLOCK_START, "").replace(/\*\/.*$/, "") : LINE.exec(line)?.[1];
    if (words === undefined) {
      last = undefined;
      const after = AFTER_CODE.exec(line)?.[1];
      if (after && !/["'`].*\/\/.*["'`]/.test(line)) found.push({ line: at + 1, text: after });
      continue;
    }
    const text = words.replace(/^\s*\*?\s?/, "").trim();
    if (last && isBlock === inBlock) last.text = `${last.text} ${text}`.trim();
    else {
      last = { line: at + 1, text };
      found.push(last);
    }
    inBlock = isBlock && !line.includes("*/");
    if (isBlock && !inBlock) last = undefined;
  }
  return found;
}

const sentencesOf = (text: string) => text.split(/(?<=[.!?:;]) +(?=[A-Z])/);

/** Sentences of a comment that break a rule. */
export const faultsOf = ({ text }: Comment): string[] =>
  FOR_PROGRAMS.test(text) ? [] : sentencesOf(text).filter((sentence) => OBLIQUE.test(sentence) || VAGUE.test(sentence));
