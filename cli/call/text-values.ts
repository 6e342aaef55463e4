import { listItems } from '@svc/core/endpoint/value/list';
import { Failure } from '../failure.ts';
import { type Fields, objectOf } from '../resource/fields.ts';

/** A call whose values do not go into a body of JSON. */
export interface InputCall {
  readonly values: Fields;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer to the values in a body. */
  readonly refused: Response;
}

/** A file that is no text can only be sent as a file. */
export function refuseOpaque({ fields }: Fields): void {
  const opaque = fields.find((field) => field.isOpaque);
  if (opaque === undefined) return;
  throw new Failure(`${opaque.path} is no text, and argument "${opaque.name}" takes no file`);
}

/** The values in a query, where everything is text. A number keeps the digits that were typed. */
export function queryText(values: Fields): string {
  return new URLSearchParams(textPairs(values)).toString();
}

/** The same as pairs. */
export function textPairs(values: Fields): [string, string][] {
  const typed = new Map(values.fields.map(({ name, json }) => [name, json]));
  return Object.entries(objectOf(values)).flatMap(([name, value]): [string, string][] => {
    if (typeof value === 'string') return [[name, value]];
    if (typeof value === 'number') return [[name, (typed.get(name) ?? String(value)).trim()]];
    if (typeof value === 'boolean') return [[name, String(value)]];
    // One item alone would be a plain value to an endpoint that has no list.
    const items = listItems((typed.get(name) ?? '').trim());
    if (items.length > 1) return items.map((item) => [name, item]);
    throw new Failure(`${name}: the endpoint takes GET, which has only text values`);
  });
}
