/** Valid JSON text without the white space between its tokens: one line, every digit and escape as it was written. */
export function compactJson(text: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('"', at);
    const between = text.slice(at, open < 0 ? text.length : open);
    parts.push(between.replace(/[ \t\n\r]+/g, ''));
    if (open < 0) break;
    at = endOfString(text, open);
    parts.push(text.slice(open, at));
  }
  return parts.join('');
}

function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close + 1;
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
