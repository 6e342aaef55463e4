import {
  dependencies,
  findChoiceCycle,
  namedArgument,
  sourceProblem,
} from '../../endpoint/choices/choice-source.ts';
import type { DeclaredArgument, Endpoint } from '../../endpoint/definition.ts';
import { HOSTED_AGENT } from '../../protocol/agent-name.ts';
import { suggest } from '../../suggest.ts';
import { atValue, type Path, type ValidationIssue } from '../validation-issue.ts';

type Arguments = readonly (DeclaredArgument | undefined)[];

/** Checks `choices_args` against the other arguments of the same endpoint, whose list `args` is at `path`. */
export function dependencyIssues(
  agentName: string | undefined,
  args: Arguments,
  path: Path,
): ValidationIssue[] {
  const names = args.flatMap((argument) => argument?.name ?? []);
  return args.flatMap((argument, index) => {
    if (argument?.choicesFrom === undefined) return [];
    const at = (key: string, message: string) =>
      atValue([...path, index, ...key.split('/')], `argument "${argument.name}": ${message}`);
    const unchecked = agentName === HOSTED_AGENT && argument.choicesCheck !== false;
    const hosted = 'a container of the hosted runner cannot read the list again: say "choices_check: false"';
    const unknown = Object.entries(argument.choicesArgs ?? {}).flatMap(([key, text]) => {
      const other = namedArgument(text);
      if (other === undefined || names.includes(other)) return [];
      const meant = suggest(other, names);
      return at(
        `choices_args/${key}`,
        `there is no argument "${other}"${meant ? `; did you mean "${meant}"?` : ''}`,
      );
    });
    const cycle = cycleFrom(argument, args);
    return [
      ...(unchecked ? [at('choices_from', hosted)] : []),
      ...unknown,
      ...(cycle ? [at('choices_args', `the lists depend on each other: ${cycle.join(' → ')}`)] : []),
    ];
  });
}

function cycleFrom(first: DeclaredArgument, args: Arguments): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return name === first.name ? [...path, name] : undefined;
    if (done.has(name)) return undefined;
    done.add(name);
    const argument = args.find((one) => one?.name === name);
    for (const next of argument === undefined ? [] : dependencies(argument)) {
      const found = visit(next, [...path, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return visit(first.name, []);
}

/** Checks the endpoints that give lists; `endpoints` are at their positions in the file, undefined where one has problems. */
export function sourceIssues(
  endpoints: readonly (Endpoint | undefined)[],
  slugs: readonly string[],
): ValidationIssue[] {
  const known = endpoints.filter((endpoint) => endpoint !== undefined);
  return endpoints.flatMap((endpoint, position) =>
    (endpoint?.args ?? []).flatMap((argument, index) => {
      const { choicesFrom: slug } = argument;
      if (endpoint === undefined || slug === undefined) return [];
      const source = known.find((one) => one.slug === slug);
      const cycle = source && findChoiceCycle(known, endpoint.slug);
      const problem =
        cycle !== undefined
          ? `the lists of these endpoints need each other: ${cycle.join(' → ')}`
          : source === undefined
            ? unknownProblem(slug, slugs)
            : sourceProblem(endpoint, argument, source);
      if (problem === undefined) return [];
      const path = ['endpoints', position, 'args', index, 'choices_from'];
      return [atValue(path, `argument "${argument.name}": ${problem}`)];
    }),
  );
}

/** Undefined: the file has it, with problems of its own that are reported. */
function unknownProblem(slug: string, slugs: readonly string[]): string | undefined {
  if (slugs.includes(slug)) return undefined;
  const meant = suggest(slug, slugs);
  return `there is no endpoint "${slug}" in this file${meant ? `; did you mean "${meant}"?` : ''}`;
}
