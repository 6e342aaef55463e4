import type { z } from 'zod';

export interface JsonAnswer<Schema extends z.ZodType = z.ZodType> {
  readonly kind: 'json';
  readonly description: string;
  readonly schema: Schema;
  readonly example: z.input<Schema>;
  /** Undefined: `application/json`. */
  readonly mediaType?: string;
}

export interface EmptyAnswer {
  readonly kind: 'empty';
  readonly description: string;
}

/** Events as in reference 6, or any other body that is not JSON. The handler makes the `Response` itself. */
export interface MediaAnswer {
  readonly kind: 'media';
  readonly description: string;
  readonly mediaType: string;
  readonly example?: string;
  /** For a stream of events: the JSON in each `data:` line; undefined: that of an execution. */
  readonly eventSchema?: z.ZodType;
  /** The same URL can also answer with bytes of any type (decision 68, raw output). */
  readonly anyBytes?: true;
  /** The same URL can also answer in JSON (reference 4.1). */
  readonly json?: Omit<JsonAnswer, 'kind' | 'description'>;
}

/** The answer of a route with one status. */
export type RouteAnswer = JsonAnswer | EmptyAnswer | MediaAnswer;

/** A JSON answer: its schema, a `z.strictObject` of the wire format, and an example. */
export function json<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: z.input<Schema>,
): JsonAnswer<Schema> {
  return { kind: 'json', description, schema, example };
}

/** An answer without a body. */
export function empty(description: string): EmptyAnswer {
  return { kind: 'empty', description };
}

/** An answer that is a page, a picture, text or a stream. */
export function media(mediaType: string, description: string, example?: string): MediaAnswer {
  return { kind: 'media', mediaType, description, ...(example === undefined ? {} : { example }) };
}

const EVENTS = [
  'data: {"type":"output","data":"hello Ada"}',
  'data: {"type":"done","exit_code":0,"duration_ms":12}',
]
  .map((line) => `${line}\n\n`)
  .join('');

/** An answer that is a stream of events (reference 6). */
export function events(description: string, otherwise?: MediaAnswer['json']): MediaAnswer {
  return { ...media('text/event-stream', description, EVENTS), ...(otherwise ? { json: otherwise } : {}) };
}

/** An answer that is a stream of events other than those of an execution. */
export function eventsOf<Schema extends z.ZodType>(
  eventSchema: Schema,
  examples: readonly z.input<Schema>[],
  description: string,
): MediaAnswer {
  const text = examples.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { ...media('text/event-stream', description, text), eventSchema };
}

/** The content of an answer as handlers return it: nothing in it has to be mutable. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Given<Value[Key]> }
    : Value;

type BodyIn<Answer> =
  Answer extends JsonAnswer<infer Schema>
    ? Given<z.input<Schema>>
    : Answer extends EmptyAnswer
      ? undefined
      : never;

type AnswersOf<Row> = Row extends { readonly answers: infer Answers } ? Answers : never;

/** The value that a handler may return for the row's only success status. */
export type PlainAnswer<Row> = {
  [Status in keyof AnswersOf<Row>]: `${Status & number}` extends `2${string}`
    ? BodyIn<AnswersOf<Row>[Status]>
    : never;
}[keyof AnswersOf<Row>];

/** Body and status together, for every status of the row. */
export type AnswerWithStatus<Row> = {
  [Status in keyof AnswersOf<Row>]: {
    readonly status: Status;
    readonly body: BodyIn<AnswersOf<Row>[Status]>;
  };
}[keyof AnswersOf<Row>];

/** The content of the route's only success status, as programs read it. */
export type ResultOf<Row> = {
  [Status in keyof AnswersOf<Row>]: `${Status & number}` extends `2${string}`
    ? AnswersOf<Row>[Status] extends JsonAnswer<infer Schema>
      ? z.output<Schema>
      : undefined
    : never;
}[keyof AnswersOf<Row>];
