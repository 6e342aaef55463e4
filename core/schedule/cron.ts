/**
 * A parsed cron expression, with the values of each field in ascending order (reference 3.3).
 *
 * `dayRule` says how the two day fields combine: `either` when both restrict, `both` when one of them starts with `*`
 * (decision 38, cron expressions).
 */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  /** 0 is Sunday. */
  readonly daysOfWeek: readonly number[];
  readonly dayRule: 'either' | 'both';
}

/** A cron expression, or its first mistake; `offset` and `length` are in UTF-16 code units of the text. */
export type ParsedCron =
  | { readonly kind: 'cron'; readonly fields: CronFields }
  | {
      readonly kind: 'problem';
      readonly offset: number;
      readonly length: number;
      readonly message: string;
    };

type CronProblem = Extract<ParsedCron, { kind: 'problem' }>;

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly note?: string;
}

interface Part {
  readonly text: string;
  readonly offset: number;
}

const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of week', min: 0, max: 6, note: ' (0 = Sunday)' },
] as const satisfies readonly Field[];

const EVERY: ReadonlyMap<Field, readonly number[]> = new Map(
  FIELDS.map((field) => [field, stepsOf({ first: field.min, last: field.max, every: 1 })]),
);

const FIELD_NAMES = FIELDS.map((field) => field.name).join(', ');

/** The macros of other crons, such as `@daily`, with their expressions. */
export const CRON_MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/** The days of each month in a leap year, because the 29th of February is a date. */
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Parses a cron expression: five fields of digits, `*`, `,`, `-` and `/`. Refuses every form that only some other crons
 * accept (decision 38, cron expressions).
 *
 * Names, `L`, `#`, `?`, 7 for Sunday, seconds, macros, reversed ranges and impossible dates are mistakes.
 */
export function parseCron(text: string): ParsedCron {
  const parts = [...text.matchAll(/[^ \t]+/g)].map((match) => ({ text: match[0], offset: match.index }));
  if (parts.length !== FIELDS.length) return wrongCount(text, parts);

  const sets: (readonly number[])[] = [];
  for (const [index, field] of FIELDS.entries()) {
    const values = parseField(field, parts[index] as Part);
    if (isProblem(values)) return values;
    sets.push(values);
  }
  const [minutes = [], hours = [], daysOfMonth = [], months = [], daysOfWeek = []] = sets;
  const starred = [parts[2], parts[4]].some((part) => part?.text.startsWith('*'));
  const dayRule = starred ? 'both' : 'either';
  if (dayRule === 'both' && !someDateExists(daysOfMonth, months)) {
    const date = `day of month ${daysOfMonth[0]} in month ${months.join(', ')}`;
    return problem({ text, offset: 0 }, `${quoted(text)} never fires: there is no ${date}`);
  }
  return { kind: 'cron', fields: { minutes, hours, daysOfMonth, months, daysOfWeek, dayRule } };
}

function wrongCount(text: string, parts: readonly Part[]): CronProblem {
  const [first] = parts;
  if (parts.length === 1 && first?.text.startsWith('@')) {
    const same = CRON_MACROS.get(first.text.toLowerCase());
    return problem(first, `${quoted(first.text)}: macros are not accepted${same ? `; write ${same}` : ''}`);
  }
  const count = parts.length === 1 ? '1 field' : `${parts.length} fields`;
  return problem({ text, offset: 0 }, `${quoted(text)} has ${count}: five expected (${FIELD_NAMES})`);
}

function parseField(field: Field, part: Part): readonly number[] | CronProblem {
  // The common case. Thousands of expressions are parsed at the beginning of each minute.
  if (part.text === '*') return EVERY.get(field) ?? [];
  const values = new Set<number>();
  let offset = part.offset;
  for (const text of part.text.split(',')) {
    const found = parseItem(field, { text, offset });
    if (!Array.isArray(found)) return found;
    for (const value of found) values.add(value);
    offset += text.length + 1;
  }
  return [...values].sort((a, b) => a - b);
}

function parseItem(field: Field, item: Part): number[] | CronProblem {
  const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(item.text);
  if (!match) return problem(item, notUnderstood(field, item.text));
  const [, from, to, step] = match;
  const first = from === undefined ? field.min : Number(from);
  const last = to === undefined ? (from === undefined ? field.max : first) : Number(to);
  const why = whyNot(field, { first, last, step, single: from !== undefined && to === undefined });
  if (why) return problem(item, `${field.name} ${quoted(item.text)}: ${why}`);
  const every = Number(step ?? 1);
  return stepsOf({ first, last, every });
}

function stepsOf({ first, last, every }: Record<'first' | 'last' | 'every', number>): number[] {
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, n) => first + n * every);
}

function isProblem(values: readonly number[] | CronProblem): values is CronProblem {
  return !Array.isArray(values);
}

interface Item {
  readonly first: number;
  readonly last: number;
  readonly step: string | undefined;
  readonly single: boolean;
}

function whyNot(field: Field, { first, last, step, single }: Item): string | undefined {
  const inRange = (value: number) => value >= field.min && value <= field.max;
  if (!inRange(first) || !inRange(last)) return `${range(field)} expected`;
  if (first > last) return `a range rises; write ${first}-${field.max},${field.min}-${last}`;
  if (step === undefined) return undefined;
  if (single) return `a step follows "*" or a range; write ${first}-${field.max}/${step}`;
  // NOTE: A step of the whole range is an idiom for "the first value only". A larger one, such as */90, is a
  // misunderstanding.
  const size = field.max - field.min + 1;
  return Number(step) >= 1 && Number(step) <= size ? undefined : `a step of 1-${size} expected`;
}

function notUnderstood(field: Field, text: string): string {
  const hint = /[A-Za-z]/.test(text) ? 'names are not accepted; ' : '';
  if (text === '') return `${field.name}: an empty place in a list; ${range(field)} expected`;
  const forms = `"*", a range such as ${field.min}-${field.max}, or a step such as */2`;
  return `${field.name} ${quoted(text)}: ${hint}${range(field)} expected, ${forms}`;
}

function range(field: Field): string {
  return `${field.min}-${field.max}${field.note ?? ''}`;
}

function someDateExists(daysOfMonth: readonly number[], months: readonly number[]): boolean {
  const [firstDay = 1] = daysOfMonth;
  return months.some((month) => firstDay <= (DAYS_IN_MONTH[month - 1] ?? 0));
}

/** Shortens the text for a message, because an expression can be as long as a file. */
function quoted(text: string): string {
  return `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`;
}

function problem(part: Part, message: string): CronProblem {
  return { kind: 'problem', offset: part.offset, length: part.text.length, message };
}
