interface RefRule {
  readonly breaks: (value: string) => boolean;
  readonly clause: string;
}

const some = (part: (component: string) => boolean) => (value: string) => value.split('/').some(part);

/**
 * The rules of `git check-ref-format --allow-onelevel`, and two more: `:` and `+` have a meaning in a refspec (decision
 * 57, values by type).
 */
const RULES: readonly RefRule[] = [
  { breaks: (value) => value === '' || value === '@', clause: 'is no name' },
  { breaks: some((part) => part === ''), clause: 'begins or ends with "/", or holds "//"' },
  { breaks: some((part) => part.startsWith('.')), clause: 'has a part that begins with "."' },
  { breaks: some((part) => part.endsWith('.lock')), clause: 'has a part that ends with ".lock"' },
  { breaks: (value) => value.includes('..'), clause: 'holds ".."' },
  { breaks: (value) => value.endsWith('.'), clause: 'ends with "."' },
  { breaks: (value) => value.includes('@{'), clause: 'holds "@{"' },
  { breaks: (value) => /[\x00-\x20\x7f~^:?*[\\]/.test(value), clause: 'holds a character that git refuses' },
  { breaks: (value) => value.includes('+'), clause: 'holds "+"' },
  { breaks: (value) => value.startsWith('-'), clause: 'begins with "-"' },
];

/** Why a value is not the name of a git branch or tag, as a clause; undefined: it is one. */
export function refProblem(value: string): string | undefined {
  return RULES.find(({ breaks }) => breaks(value))?.clause;
}
