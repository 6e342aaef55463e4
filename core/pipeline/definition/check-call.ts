import { clip } from '../../config/definition/clip.ts';
import { atKey, atValue, type Path, type ValidationIssue } from '../../config/validation-issue.ts';
import { variablesProblem } from '../../endpoint/accepted-variable.ts';
import type { Argument, Endpoint } from '../../endpoint/definition.ts';
import { isForbiddenVariable, isVariableName } from '../../endpoint/environment.ts';
import { checkValue } from '../../endpoint/value/check-value.ts';
import { canBeAbsent } from '../../endpoint/value/resolve-values.ts';
import { referencesIn, stepFile, type TextTemplate } from '../reference/template.ts';
import type { SpellingHint } from './hint.ts';

/** The endpoints that steps may call, by slug. */
export type KnownEndpoints = ReadonlyMap<
  string,
  Pick<Endpoint, 'args' | 'acceptsEnv' | 'approvalRequired' | 'allowSelf' | 'stdin' | 'artifacts'>
>;

/** The surroundings that the steps of a pipeline use. An undefined part is not known yet. */
export interface StepSurroundings {
  readonly endpoints?: KnownEndpoints | undefined;
  /** The endpoints are those of one file, so an unknown endpoint may exist in another one. */
  readonly hasOthers?: boolean | undefined;
  /** The names of all current and former agents. */
  readonly agents?: readonly string[] | undefined;
}

/** One text parameter of a step. Without a template it could not be parsed. */
export interface Parameter {
  readonly path: Path;
  readonly text: string;
  readonly template?: TextTemplate;
}

/** The call of a step. */
export interface CheckedStepCall {
  /** The path of the step. */
  readonly path: Path;
  readonly endpoint: string;
  readonly args: ReadonlyMap<string, Parameter>;
  /** The names of the variables that the step sets. */
  readonly env: readonly string[];
  /** The endpoint of another step; undefined if there is no such step. */
  readonly endpointOf: (step: string) => string | undefined;
}

/** Checks that the endpoint exists and accepts the parameters of the step. */
export function callIssues(
  { path, endpoint: slug, args, env, endpointOf }: CheckedStepCall,
  { endpoints, hasOthers = false }: StepSurroundings,
  hint: SpellingHint,
): ValidationIssue[] {
  if (endpoints === undefined) return [];
  const endpoint = endpoints.get(slug);
  if (endpoint === undefined) {
    const message = `there is no endpoint "${slug}"${hint(slug, [...endpoints.keys()])}`;
    return hasOthers ? [] : [atValue([...path, 'endpoint'], message)];
  }
  if (endpoint.stdin !== undefined) {
    const message = `endpoint "${slug}" reads the body of a call from stdin, and a step has none`;
    return [atValue([...path, 'endpoint'], message)];
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
    ...endpoint.args.flatMap((argument) => argumentIssues(argument, args.get(argument.name), path)),
    ...[...args.values()].flatMap((parameter) => {
      const file = parameter.template && stepFile(parameter.template);
      const leaver = file && endpointOf(file.step);
      const found = leaver === undefined ? undefined : endpoints.get(leaver);
      if (file === undefined || found === undefined || found.artifacts !== undefined) return [];
      const message = `step "${file.step}" leaves no files: endpoint "${leaver}" has no "artifacts"`;
      return [atValue(parameter.path, message)];
    }),
  ];
}

/** Checks that an agent of this name exists or existed. A name with a reference is only known in a run. */
export function agentIssues(
  { path, text, template }: Parameter,
  { agents }: StepSurroundings,
  hint: SpellingHint,
): ValidationIssue[] {
  const isWritten = template !== undefined && referencesIn(template).length === 0;
  if (agents === undefined || !isWritten || agents.includes(text)) return [];
  return [atValue(path, `there is no agent "${clip(text)}"${hint(text, agents)}`)];
}

const NEEDS_FILE = 'takes a file of an earlier step, as in {steps.build.artifacts.app.zip}';

function argumentIssues(argument: Argument, given: Parameter | undefined, path: Path): ValidationIssue[] {
  const file = given?.template && stepFile(given.template);
  if (given !== undefined && (argument.type === 'file') !== (file !== undefined)) {
    const message = `argument "${argument.name}" ${argument.type === 'file' ? NEEDS_FILE : 'takes no file'}`;
    return [atValue(given.path, message)];
  }
  if (argument.type === 'file' && given === undefined && argument.required)
    return [atKey([...path, 'args'], `argument "${argument.name}" ${NEEDS_FILE}`)];
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
