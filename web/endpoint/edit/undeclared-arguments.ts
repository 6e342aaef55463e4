// Must run before core creates its schemas.
import '../real-pattern-engine.ts';
import { checkDefinition } from '@svc/core/config/definition/check-definition';
import type { ArgumentType } from '@svc/core/endpoint/definition';
import { draftedDefinition } from './drafted-definition.ts';
import { type ArgumentDraft, type EndpointDraft, NEW_ARGUMENT, NEW_ENDPOINT } from './endpoint-draft.ts';

/** A placeholder that no argument has, and the argument that is offered for it. */
export interface Undeclared {
  readonly argument: ArgumentDraft;
  /** The type of the argument: the one of the offer, or the one that svc infers; undefined: no type fits the place. */
  readonly type: ArgumentType | undefined;
}

const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}\}/g;

/** The type that a name suggests for its values. */
const BY_NAME: readonly (readonly [RegExp, ArgumentType])[] = [
  [
    /(?:^|_)(?:count|port|limit|lines|number|num|size|seconds|minutes|hours|days|retries|replicas)$/,
    'integer',
  ],
  [/(?:^|_)(?:url|link|address_url)$/, 'url'],
  [/(?:^|_)(?:branch|tag|ref|commit|revision)$/, 'ref'],
  [/^(?:is|has|dry|force|verbose|debug)(?:_|$)/, 'boolean'],
];

/** The arguments to offer for the placeholders of a command, in the order of the command. */
export function undeclaredArguments(draft: Pick<EndpointDraft, 'command' | 'args'>): readonly Undeclared[] {
  const declared = new Set(draft.args.map(({ name }) => name));
  const names = new Set([...draft.command.matchAll(PLACEHOLDER)].map(([, name = '']) => name));
  return [...names].filter((name) => !declared.has(name)).map((name) => offerOf(name, draft));
}

function offerOf(name: string, draft: Pick<EndpointDraft, 'command' | 'args'>): Undeclared {
  const argument = { ...NEW_ARGUMENT, name, required: true };
  const byName = BY_NAME.find(([pattern]) => pattern.test(name.toLowerCase().replaceAll('-', '_')))?.[1];
  if (byName !== undefined) {
    const typed = { ...argument, type: byName };
    if (typeIn(draft, typed) === byName) return { argument: typed, type: byName };
  }
  return { argument, type: typeIn(draft, argument) };
}

/** The type that an argument has in a command; undefined: the command does not take it. */
function typeIn(
  { command, args }: Pick<EndpointDraft, 'command' | 'args'>,
  argument: ArgumentDraft,
): ArgumentType | undefined {
  const others = [...command.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  const missing = [...new Set(others)].filter(
    (name) => name !== argument.name && !args.some((one) => one.name === name),
  );
  const all = [...args, argument, ...missing.map((name) => ({ ...NEW_ARGUMENT, name }))];
  const definition = draftedDefinition({ ...NEW_ENDPOINT, name: 'draft', command, args: all });
  const checked = checkDefinition(definition);
  if (checked.kind !== 'endpoint') return undefined;
  return checked.endpoint.args.find(({ name }) => name === argument.name)?.type;
}
