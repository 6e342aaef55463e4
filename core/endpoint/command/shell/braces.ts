/**
 * Whether a shell that knows `{a,b}` and `{1..9}` would expand this unquoted text: a closed pair of braces with a comma or
 * two dots directly inside. bash expands them as /bin/sh too, dash and busybox do not.
 */
export function mayExpandBraces(skeleton: string): boolean {
  const open: { divided: boolean }[] = [];
  for (let i = 0; i < skeleton.length; i++) {
    const char = skeleton.charAt(i);
    const innermost = open.at(-1);
    if (char === '{') open.push({ divided: false });
    else if (char === '}' && open.pop()?.divided) return true;
    else if (innermost !== undefined && (char === ',' || skeleton.startsWith('..', i)))
      innermost.divided = true;
  }
  return false;
}
