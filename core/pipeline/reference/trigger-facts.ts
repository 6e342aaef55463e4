import type { JsonObject } from './json-value.ts';
import type { TriggerField } from './reference.ts';

/** The key of the input for the facts from the headers of a webhook. No declared field has such a name. */
export const TRIGGER_FACTS = '{trigger}';

/** The facts from the headers of a webhook; a field without a header is absent. */
export type TriggerFacts = { readonly [Field in TriggerField]?: string };

interface Headers {
  get(name: string): string | null;
}

const EVENT_HEADERS = ['x-github-event', 'x-gitlab-event', 'x-event-key'];
const DELIVERY_HEADERS = ['x-github-delivery', 'x-gitlab-event-uuid', 'webhook-id'];

/** Reads the kind of event and the id of the delivery from the headers of GitHub, GitLab, Bitbucket and Standard Webhooks. */
export function readTriggerFacts(headers: Headers): TriggerFacts {
  const first = (names: readonly string[]) =>
    names.map((name) => headers.get(name)).find((value) => value !== null) ?? undefined;
  const [event, delivery] = [first(EVENT_HEADERS), first(DELIVERY_HEADERS)];
  return { ...(event === undefined ? {} : { event }), ...(delivery === undefined ? {} : { delivery }) };
}

/** The input of a run with these facts. */
export function withTriggerFacts(input: JsonObject, facts: TriggerFacts): JsonObject {
  return Object.keys(facts).length === 0 ? input : { ...input, [TRIGGER_FACTS]: { ...facts } };
}

/** The declared input and the facts apart. */
export function splitTriggerFacts(input: JsonObject): {
  readonly fields: JsonObject;
  readonly facts: TriggerFacts | undefined;
} {
  const { [TRIGGER_FACTS]: facts, ...fields } = input;
  return { fields, facts: facts as TriggerFacts | undefined };
}
