import { clip } from '../../config/definition/clip.ts';
import { atKey, atValue, type Path, type ValidationIssue } from '../../config/finding.ts';
import { variablesProblem } from '../../endpoint/accepted-variable.ts';
import type { Argument, Endpoint } from '../../endpoint/definition.ts';
import { isForbiddenVariable, isVariableName } from '../../endpoint/environment.ts';
import { checkValue } from '../../endpoint/value/check-value.ts';
import { canBeAbsent } from '../../endpoint/value/resolve-values.ts';
import { referencesIn, type TextTemplate } from '../reference/template.ts';
import type { Invalidation } from './hint.ts';

/** The endpoints that steps may call, by slug. */
export type KnownEndpoints = ReadonlyMap<
  string,
  Pick<Endpoint, 'args' | 'acceptsEnv' | 'approvalRequired' | 'allowSelf'>
>;

/** What there is around a pipeline for its steps to use; what is undefined nobody knows yet. */
export interface StepSurroundings {
  readonly endpoints?: KnownEndpoints | undefined;
  /** Where the endpoints are those of one file: what is not among them may be elsewhere. */
  readonly hasOthers?: boolean | undefined;
  /** The names of agents that there are or were. */
  readonly agents?: readonly string[] | undefined;
}

/** One text parameter of a step; without a template it could not be read. */
export interface Parameter {
  readonly path: Path;
  readonly text: string;
  readonly template?: TextTemplate;
}

/** The call that a step is. */
export interface CheckedStepCall {
  /** Of the step. */
  readonly path: Path;
  readonly endpoint: string;
  readonly args: ReadonlyMap<string, Parameter>;
  /** The names of the variables that it sets. */
  readonly env: readonly string[];
}

/** Checks that the endpoint is there, and takes what the step gives. */
export function callIssues(
  { path, endpoint: slug, args, env }: CheckedStepCall,
  { endpoints, hasOthers = false }: StepSurroundings,
  hint: Invalidation,
): ValidationIssue[] {
  if (endpoints === undefined) return [];
  const endpoint = endpoints.get(slug);
  if (endpoint === undefined) {
    const message = `there is no endpoint "${slug}"${hint(slug, [...endpoints.keys()])}`;
    return hasOthers ? [] : [atValue([...path, 'endpoint'], message)];
  }
  const names = endpoint.args.map(({ name }) => name);
  const unknown = [...args].filter(([name]) => !names.includes(name));
  return [
    ...unknown.map(([name, parameter]) =>
      atKey(parameter.path, `endpoint "${slug}" has no argument "${clip(name)}"${hint(name, names)}`),
    ),
    // A name that no endpoint may accept is reported at the variable itself.
    ...env
      .filter((name) => isVariableName(name) && !isForbiddenVariable(name))
      .flatMap((name) => {
        const problem = variablesProblem(slug, endpoint, [name]);
        return problem === undefined ? [] : [atKey([...path, 'env', name], problem)];
      }),
    ...endpoint.args.flatMap((argument) => argumentFindings(argument, args.get(argument.name), path)),
  ];
}

/** Checks that an agent of the name was ever there; a name that a run fills in is nobody's yet. */
export function agentIssues(
  { path, text, template }: Parameter,
  { agents }: StepSurroundings,
  hint: Invalidation,
): ValidationIssue[] {
  const isWritten = template !== undefined && referencesIn(template).length === 0;
  if (agents === undefined || !isWritten || agents.includes(text)) return [];
  return [atValue(path, `there is no agent "${clip(text)}"${hint(text, agents)}`)];
}

function argumentFindings(argument: Argument, given: Parameter | undefined, path: Path): ValidationIssue[] {
  if (given === undefined) {
    if (canBeAbsent(argument) || argument.default !== undefined) return [];
    return [
      atKey([...path, 'args'], `argument "${argument.name}" is required; give it a value or a reference`),
    ];
  }
  const { template, text } = given;
  if (template === undefined || referencesIn(template).length > 0) return [];
  const message = checkValue(argument, text);
  return message === undefined ? [] : [atValue(given.path, `argument "${argument.name}": ${message}`)];
}
