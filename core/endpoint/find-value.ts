/** A placeholder or a reference to a secret in the text of a command. */
export interface FoundValue {
  readonly kind: 'argument' | 'secret';
  readonly name: string;
  readonly length: number;
}

/** The value whose place is at this offset of the text, if any. */
export type FindValue = (text: string, at: number) => FoundValue | undefined;

const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}\}/y;
const SECRET = /\$svc:([A-Za-z_][A-Za-z0-9_]*)/y;

/**
 * Finds `{{name}}` of the declared arguments and `$svc:NAME`. Any other `{{…}}` is text (decision 5, placeholders, and
 * decision 13, managed secrets).
 */
export function valueFinder(declared: ReadonlySet<string>): FindValue {
  return (text, at) => {
    const argument = matchAt(PLACEHOLDER, text, at);
    if (argument !== undefined)
      return declared.has(argument.name) ? { kind: 'argument', ...argument } : undefined;
    const secret = matchAt(SECRET, text, at);
    return secret && { kind: 'secret', ...secret };
  };
}

function matchAt(sticky: RegExp, text: string, at: number): { name: string; length: number } | undefined {
  sticky.lastIndex = at;
  const match = sticky.exec(text);
  return match === null ? undefined : { name: match[1] ?? '', length: match[0].length };
}
