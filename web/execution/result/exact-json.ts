/** A number with digits that a JavaScript number would lose. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

export type ExactValue =
  | null
  | boolean
  | number
  | string
  | ExactNumber
  | readonly ExactValue[]
  | { readonly [name: string]: ExactValue };

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Parses JSON and keeps the digits of every number (a large id, `1.10`, `1e3`). */
export function parseExact(json: string): ExactValue {
  const revive: Reviver = (_, value, context) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return String(value) === context.source ? value : new ExactNumber(context.source);
  };
  return JSON.parse(json, revive as (key: string, value: unknown) => unknown) as ExactValue;
}

/** The deepest nesting that a tree shows; a few thousand levels overflow the stack of a browser. */
export const MAX_DEPTH = 500;

/** Whether the nesting exceeds `MAX_DEPTH`. Scans the text without parsing it. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length && depth <= MAX_DEPTH; at += 1) {
    const character = json[at];
    if (character === '"') isText = !isText;
    else if (isText) at += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
  }
  return depth > MAX_DEPTH;
}

/** The value for display: strings without quotes, everything else as JSON. */
export function valueText(value: ExactValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : exactText(value);
}

/** The value as JSON again, digit for digit. */
export function exactText(value: ExactValue, indent = ''): string {
  if (value instanceof ExactNumber) return value.digits;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const items = Array.isArray(value)
    ? (value as readonly ExactValue[]).map((item) => exactText(item, deeper))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${exactText(item, deeper)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${items.map((item) => deeper + item).join(',\n')}\n${indent}${close}`;
}

/** Whether the value is an object and not a list. */
export function isRecord(value: ExactValue | undefined): value is { readonly [name: string]: ExactValue } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}
