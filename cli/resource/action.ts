import type { ApiClient } from '@svc/core/api/client/client-of';
import type { FactRow } from '../terminal.ts';

/** One page of a list of the API. */
export interface ApiPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** The output of an action: rows for people, or with `--json` the answer of the API. */
export type Printed =
  | {
      readonly kind: 'list';
      readonly page: (cursor: string | undefined) => Promise<ApiPage<object>>;
      readonly rows: (item: never) => readonly FactRow[];
      readonly none: string;
      readonly limit: number;
    }
  | { readonly kind: 'item'; readonly item: object; readonly rows: readonly FactRow[] }
  | { readonly kind: 'secret'; readonly item: object; readonly secret: string }
  | { readonly kind: 'text'; readonly item: object; readonly printedText: string };

/** All items of a list, or its first ones: one row or several for each. */
export function listed<Item extends object>(
  page: (cursor: string | undefined) => Promise<ApiPage<Item>>,
  rows: (item: Item) => FactRow | readonly FactRow[],
  none: string,
  limit = Number.POSITIVE_INFINITY,
): Printed {
  const asRows = (item: Item) => [rows(item)].flat();
  return { kind: 'list', page, rows: asRows, none, limit };
}

/** One item. */
export function shown(item: object, rows: readonly FactRow[]): Printed {
  return { kind: 'item', item, rows };
}

/** An answer with a secret that is shown once. For people it is the only output, for use in a shell. */
export function secretOnce(item: object, secret: string): Printed {
  return { kind: 'secret', item, secret };
}

/** A text as it is, such as a file. */
export function printedText(item: object, content: string): Printed {
  return { kind: 'text', item, printedText: content };
}

/** The outcome of a change: a subject, and what happened to it. With `--json` the answer, or else the subject. */
export function done(label: string, outcome: string, item: object = { id: label }): Printed {
  return { kind: 'item', item, rows: [{ label, text: outcome }] };
}

type Reader = (printedText: string, previous: never) => unknown;
/** Flags, description, and what reads the text or the default. */
type ParameterRow =
  | readonly [flags: string, description: string]
  | readonly [flags: string, description: string, reader: Reader];

/** A subcommand of a resource. `Input` has its arguments and options by their names in camel case. */
export interface Action<Input> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Runs when the resource is named alone. */
  readonly isDefault?: true;
  readonly arguments?: readonly ParameterRow[];
  readonly options?: readonly ParameterRow[];
  /** The output of `--json`. */
  readonly json?: string;
  readonly run: (api: ApiClient, input: Input) => Promise<Printed> | Printed;
}

/** An action whose input is known only to itself. */
export type AnyAction = Omit<Action<unknown>, 'run'> & {
  readonly run: (api: ApiClient, input: never) => Promise<Printed> | Printed;
};

export function action<Input = Record<never, never>>(row: Action<Input>): AnyAction {
  return row;
}
