import { refuse } from '../refusal.ts';

/** The value that is an option of the call, where the endpoint has no argument of that name. */
export const CALLBACK_OPTION = 'callback_url';
/** The same as a header, for endpoints that have such an argument, and for URLs that logs must not show. */
export const CALLBACK_HEADER = 'X-Callback-Url';

/** The callback settings of a request. */
export interface CallbackRequest {
  readonly header: string | null;
  readonly values: ReadonlyMap<string, string>;
  /** Whether the endpoint has an argument of this name. */
  readonly takesArgument: (name: string) => boolean;
}

/**
 * Takes the callback out of the values of a call (decision 39, alerts). An argument named `callback_url` keeps its
 * value: its endpoint takes the header only.
 *
 * Throws `invalid_argument` for two URLs.
 */
export function readCallback({ header, values, takesArgument }: CallbackRequest): {
  readonly callbackUrl: string | undefined;
  readonly values: ReadonlyMap<string, string>;
} {
  if (!values.has(CALLBACK_OPTION) || takesArgument(CALLBACK_OPTION))
    return { callbackUrl: header ?? undefined, values };
  const callbackUrl = values.get(CALLBACK_OPTION);
  if (header !== null && header !== callbackUrl)
    throw refuse('invalid_argument', `${CALLBACK_OPTION} and ${CALLBACK_HEADER} differ: one URL expected`);
  return { callbackUrl, values: new Map([...values].filter(([name]) => name !== CALLBACK_OPTION)) };
}
