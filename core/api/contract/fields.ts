import { z } from 'zod';
import { EMAIL_ADDRESS } from '../../account/email-address.ts';
import { SLUG_PATTERN } from '../../endpoint/slug.ts';
import { EXECUTION_STATES } from '../../execution/state.ts';

// Fields that many bodies, queries and answers share. For input, `error` names what is accepted; the message adds
// "expected".

const NO_CONTROLS = /^[^\u0000-\u001f\u007f]*$/u;

/** The most items on a page of a list, and the default (decision 47, answers of the management API). */
const MAX_LISTED = 100;
const LISTED = 20;

/** The state of an execution, in answers. */
export const executionStatus = z.enum(EXECUTION_STATES).meta({ id: 'ExecutionStatus' });

/** One line of text for people: a name, a comment. */
export function line(what: string, maxLength = 100) {
  const error = `${what} of 1 to ${maxLength} characters, without line breaks`;
  return z.string({ error }).min(1, { error }).max(maxLength, { error }).regex(NO_CONTROLS, { error });
}

/** Only a mail to the address shows whether it exists. */
export function email() {
  const error = 'an e-mail address';
  return z.string({ error }).regex(EMAIL_ADDRESS, { error });
}

export function slug() {
  const error = 'a slug: up to 64 lower-case letters, digits, "-" and "_", the first a letter or digit,';
  return z.string({ error }).regex(SLUG_PATTERN, { error });
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

export function flag() {
  return z.boolean({ error: 'true or false' });
}

/** One or more values in a query, joined by commas. */
export function someOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  const error = `one or more of ${values.join(', ')}, joined by commas,`;
  return z
    .string({ error })
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(z.enum(values, { error }), { error }));
}

/** A time in a request: RFC 3339 with any offset. */
export function givenTime() {
  return z.iso.datetime({ offset: true, error: 'a time as in RFC 3339, such as 2026-11-20T12:00:00Z,' });
}

/** A whole number in a query, where everything is text. */
export function wholeNumberText(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`;
  return z
    .string({ error })
    .regex(/^\d{1,15}$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(min, { error }).max(max, { error }));
}

/** The query of every list: page size and cursor (decision 47, answers of the management API). */
export const PAGE_QUERY = {
  limit: wholeNumberText(1, MAX_LISTED).default(LISTED).describe('The most items to answer with.'),
  cursor: z
    .string()
    .max(500, { error: 'the next_cursor of the page before' })
    .optional()
    .describe('The `next_cursor` of the previous page.'),
} as const;

/** A time in an answer: RFC 3339 in UTC. */
export const TIME = z.iso.datetime();
export const ID = z.uuid();

/** A page of a list (decision 47, answers of the management API). */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .describe('The `cursor` of the next page; null: this is the last page.'),
  });
}

/**
 * A page of a list that may have millions of rows: one read scans a limited number of them (decision 62, reads apart from
 * calls).
 */
export function boundedPageOf<Item extends z.ZodType>(item: Item) {
  return pageSchema(item).extend({ partial: PARTIAL });
}

const PARTIAL = z
  .literal(true)
  .optional()
  .describe(
    'The read reached its limit of rows or time before the page was full. Continue with `next_cursor`.',
  );
