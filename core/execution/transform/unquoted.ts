/** A value that is quoted as a whole, by the rules of the shell that os-release(5) takes over. */
export function unquoted(value: string): string {
  if (/^'[^']*'$/.test(value)) return value.slice(1, -1);
  if (/^"(?:[^"\\]|\\.)*"$/.test(value)) return value.slice(1, -1).replace(/\\(["\\$`])/g, '$1');
  return value;
}
