import type { CST } from 'yaml';

/**
 * The offset in the file of each code unit of a literal (`|`) or folded (`>`) scalar, and of its end.
 *
 * Block scalars have no escapes: past its indentation every line stands in the text as it is, and between lines there are
 * only line feeds and single spaces. So the lines are found in the text again; undefined if they are not.
 */
export function traceBlockScalar(token: CST.BlockScalar, text: string): readonly number[] | undefined {
  const offsets: number[] = [];
  let end = contentStart(token);
  for (const { content, offset } of contentLines(token)) {
    while (separates(text[offsets.length], content)) offsets.push(offset - 1);
    if (!text.startsWith(content, offsets.length)) break;
    for (let i = 0; i < content.length; i++) offsets.push(offset + i);
    if (content !== '') end = offset + content.length;
  }
  if (/\S/.test(text.slice(offsets.length))) return undefined;
  while (offsets.length <= text.length) offsets.push(end);
  return offsets;
}

/** A line of a folded scalar begins with white space only where its break was kept, so a space before others is a folded break. */
function separates(character: string | undefined, content: string): boolean {
  if (content === '') return false;
  return character === '\n' || (character === ' ' && !/^[ \t]/.test(content));
}

function contentLines(token: CST.BlockScalar): { content: string; offset: number }[] {
  const lines = token.source.split('\n');
  const indent = indentation(token, lines);
  let offset = contentStart(token);
  return lines.map((line) => {
    const content = { content: line.slice(indent), offset: offset + indent };
    offset += line.length + 1;
    return content;
  });
}

/** As the header says it, else that of the first line that is not empty. */
function indentation(token: CST.BlockScalar, lines: readonly string[]): number {
  const [header] = token.props;
  const explicit = header && 'source' in header ? /[1-9]/.exec(header.source) : null;
  if (explicit) return Math.max(token.indent, 0) + Number(explicit[0]);
  return lines.find((line) => /[^ ]/.test(line))?.search(/[^ ]/) ?? 0;
}

function contentStart(token: CST.BlockScalar): number {
  const last = token.props.at(-1);
  return last && 'source' in last ? last.offset + last.source.length : token.offset;
}
