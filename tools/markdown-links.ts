/** A link of a Markdown text, or an image in it. */
export interface Link {
  readonly target: string;
  readonly line: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LINK = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|\b(?:src|srcset|href)="([^"]+)"/g;
const HEADING = /^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$/;
const EXPLICIT = /<a\s+(?:id|name)="([^"]+)"/g;
const CITATION =
  /\bdecisions?(?:\.md`?\]?(?:\([^)]*\))?,)?\s+(\d+(?:(?:\s*,\s*|\s+and\s+|\s+to\s+|\s+or\s+|–|,\s+and\s+)\d+\b(?!\s*(?:s|ms|%|MiB|KiB)\b))*)/gi;
const PATH =
  /^(?:core|hub|agent|cli|web|test|tools|bench|deploy|docs|templates|runner-image)\/[\w./-]*\w\/?$/;

/** The links of a Markdown text. Code blocks and `code` in a line are left out. */
export function linksIn(text: string): Link[] {
  return proseLines(text).flatMap(({ content, line }) =>
    [...content.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length)).matchAll(LINK)].map((match) => ({
      target: match[1] ?? match[2] ?? '',
      line,
    })),
  );
}

/** The anchors that GitHub gives to a Markdown text: one for each heading, and those that are written out. */
export function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  for (const { content } of proseLines(text)) {
    for (const [, id = ''] of content.matchAll(EXPLICIT)) anchors.add(id);
    const heading = HEADING.exec(content)?.[1];
    if (heading === undefined) continue;
    const slug = slugOf(heading);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

/** The paths of this repository that a Markdown text names as `code`. */
export function pathsIn(text: string): Link[] {
  return proseLines(text).flatMap(({ content, line }) =>
    [...content.matchAll(/`([^`]+)`/g)]
      .map(([, target = '']) => ({ target, line }))
      .filter(({ target }) => PATH.test(target)),
  );
}

/** The numbers of the decisions that a text cites: "decision 12", "decisions 14, 19–21 and 23". */
export function citationsIn(text: string): { readonly number: number; readonly line: number }[] {
  return text
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(CITATION)].flatMap(([, list = '']) =>
        [...list.matchAll(/\d+/g)].map(([digits]) => ({ number: Number(digits), line: index + 1 })),
      ),
    );
}

/** The numbers of the decisions that `decisions.md` has, by their anchors. */
export function decisionsIn(text: string): Set<number> {
  return new Set([...text.matchAll(/<a id="decision-(\d+)"><\/a>/g)].map(([, digits]) => Number(digits)));
}

/** The anchor that GitHub gives to a heading. */
export function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** The lines of a text outside of fenced code, numbered from 1. */
function proseLines(text: string): { readonly content: string; readonly line: number }[] {
  let fence: string | undefined;
  const lines: { content: string; line: number }[] = [];
  for (const [index, content] of text.split('\n').entries()) {
    const mark = FENCE.exec(content)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
    } else if (mark === undefined) lines.push({ content, line: index + 1 });
    else fence = mark;
  }
  return lines;
}
