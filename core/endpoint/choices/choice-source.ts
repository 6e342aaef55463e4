import type { Argument, Endpoint } from '../definition.ts';
import { isRequiredFile } from '../file-arguments.ts';
import { canBeAbsent } from '../value/resolve-values.ts';

const PLACEHOLDER = /^\{\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}\}$/;

/** The other argument that a value of `choices_args` stands for; undefined: a fixed text. */
export function namedArgument(text: string): string | undefined {
  return PLACEHOLDER.exec(text)?.[1];
}

/** The arguments of the same form that the list of this one depends on. */
export function dependencies({ choicesArgs = {} }: Pick<Argument, 'choicesArgs'>): readonly string[] {
  return Object.values(choicesArgs).flatMap((text) => namedArgument(text) ?? []);
}

/**
 * The values with which the endpoint of the list is called, from those of the form; `missing` names an argument that has to be
 * given first.
 */
export function sourceValues(
  { choicesArgs = {} }: Pick<Argument, 'choicesArgs'>,
  args: readonly Argument[],
  given: ReadonlyMap<string, string>,
): { readonly values: ReadonlyMap<string, string> } | { readonly missing: string } {
  const values = new Map<string, string>();
  for (const [name, text] of Object.entries(choicesArgs)) {
    const other = namedArgument(text);
    const argument = other === undefined ? undefined : args.find((one) => one.name === other);
    const value = other === undefined ? text : (given.get(other) ?? argument?.default);
    if (value !== undefined) values.set(name, value);
    else if (argument === undefined || !canBeAbsent(argument)) return { missing: other ?? name };
  }
  return { values };
}

/** What of an endpoint decides whether it can give a list. */
type Source = Pick<
  Endpoint,
  'slug' | 'args' | 'approvalRequired' | 'agentName' | 'program' | 'output' | 'stdin'
>;

/**
 * Why an endpoint cannot give the list of an argument, as a sentence; undefined: it can (decision 69, choices from an endpoint).
 */
export function sourceProblem(
  { agentName }: Pick<Endpoint, 'agentName'>,
  argument: Pick<Argument, 'choicesArgs' | 'choicesCheck'>,
  source: Source,
): string | undefined {
  const { slug, args, approvalRequired } = source;
  const shown = `endpoint "${slug}"`;
  if (approvalRequired) return `${shown} needs an approval, and a list cannot wait for one`;
  if (source.output === 'raw') return `${shown} has raw output, and a list is text`;
  if (source.args.some(isRequiredFile)) return `${shown} takes a file, and a list has none`;
  if (source.stdin !== undefined) return `${shown} reads the body of a call from stdin, and a list has none`;
  if (source.agentName !== agentName)
    return `${shown} runs on ${agentText(source.agentName)}, and this endpoint on ${agentText(agentName)}: the agent that checks the value must run both`;
  const [secret] = source.program.secrets;
  if (secret !== undefined && argument.choicesCheck !== false)
    return `${shown} uses the secret "${secret}", which the agent has not when it checks a value: say "choices_check: false", or read it from a file of the agent`;
  const given = Object.keys(argument.choicesArgs ?? {});
  const names = args.map(({ name }) => name);
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) return `${shown} has no argument "${unknown}"`;
  const required = args.find((one) => one.required && one.default === undefined && !given.includes(one.name));
  return required && `${shown} needs a value for "${required.name}": give one in choices_args`;
}

function agentText(name: string | undefined): string {
  return name === undefined ? 'the agent that has this file' : `agent "${name}"`;
}

/** The first cycle among the endpoints whose lists come from one another, as slugs, its first one also last. */
export function findChoiceCycle(
  endpoints: readonly Pick<Endpoint, 'slug' | 'args'>[],
  from: string,
): readonly string[] | undefined {
  const bySlug = new Map(endpoints.map((endpoint) => [endpoint.slug, endpoint]));
  const done = new Set<string>();
  const visit = (slug: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(slug)) return slug === from ? [...path, slug] : undefined;
    if (done.has(slug)) return undefined;
    done.add(slug);
    for (const { choicesFrom } of bySlug.get(slug)?.args ?? []) {
      const found = choicesFrom === undefined ? undefined : visit(choicesFrom, [...path, slug]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return visit(from, []);
}
