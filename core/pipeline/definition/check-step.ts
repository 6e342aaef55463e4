import { environmentFindings } from '../../config/definition/check-endpoint.ts';
import { clip } from '../../config/definition/clip.ts';
import { type TextAt, writtenText } from '../../config/definition/written-text.ts';
import { atKey, atValue, type Finding, type Path } from '../../config/finding.ts';
import type { Argument, Endpoint } from '../../endpoint/definition.ts';
import { checkValue } from '../../endpoint/value/check-value.ts';
import { canBeAbsent } from '../../endpoint/value/resolve-values.ts';
import { utf8Length } from '../../endpoint/value/utf8-length.ts';
import { LIMITS } from '../../plan/limits.ts';
import { readTemplate, referencesIn, type Template } from '../reference/template.ts';
import type { UsedReference } from './check-references.ts';
import type { Hint } from './hint.ts';
import type { WrittenNode } from './written-node.ts';

/** The endpoints that steps may call, by slug. */
export type KnownEndpoints = ReadonlyMap<string, Pick<Endpoint, 'args'>>;

export interface StepSurroundings {
  /** Undefined: nobody knows yet, as when a file is read before its agent has a hub. */
  readonly endpoints: KnownEndpoints | undefined;
  readonly hint: Hint;
  readonly textAt: TextAt;
}

type Step = Extract<WrittenNode, { kind: 'step' }>;

/** One text parameter of a step; without a template it could not be read. */
interface Parameter {
  readonly path: Path;
  readonly text: string;
  readonly template?: Template;
}

/** Checks a step by itself: the endpoint that it calls, its arguments, variables and the form of its references. */
export function checkStep(
  step: Step,
  surroundings: StepSurroundings,
): { findings: readonly Finding[]; references: readonly UsedReference[] } {
  const { parts, path } = step;
  const findings: Finding[] = [...environmentFindings(parts.env, [...path, 'env'])];
  const read = (value: string | number | boolean, at: Path) =>
    readParameter(writtenText(value, at, surroundings.textAt), at, findings);
  const readAll = (key: 'args' | 'env') =>
    Object.entries(parts[key] ?? {}).map(
      ([name, value]) => [name, read(value, [...path, key, name])] as const,
    );
  const args = readAll('args');
  const others = readAll('env').map(([, parameter]) => parameter);
  if (parts.agent_name !== undefined) others.push(read(parts.agent_name, [...path, 'agent_name']));
  findings.push(...callFindings(step, new Map(args), surroundings));
  const parameters = [...args.map(([, parameter]) => parameter), ...others];
  return { findings, references: parameters.flatMap((parameter) => usedIn(parameter, parts.id)) };
}

function readParameter(text: string, path: Path, findings: Finding[]): Parameter {
  if (utf8Length(text) > LIMITS.valueBytes) {
    findings.push(atValue(path, `it is too long: at most ${LIMITS.valueBytes} bytes expected`));
    return { path, text };
  }
  const read = readTemplate(text);
  if (read.kind === 'template') return { path, text, template: read.template };
  findings.push(atValue(path, `reference in "${clip(text)}": ${read.message}`, read.offset));
  return { path, text };
}

function usedIn({ template, path }: Parameter, user: string | undefined): UsedReference[] {
  return referencesIn(template ?? []).map((reference) => ({ reference, user, path }));
}

function callFindings(
  { parts, path }: Step,
  args: ReadonlyMap<string, Parameter>,
  { endpoints, hint }: StepSurroundings,
): Finding[] {
  if (parts.endpoint === undefined || endpoints === undefined) return [];
  const endpoint = endpoints.get(parts.endpoint);
  if (endpoint === undefined) {
    const message = `there is no endpoint "${parts.endpoint}"${hint(parts.endpoint, [...endpoints.keys()])}`;
    return [atValue([...path, 'endpoint'], message)];
  }
  const names = endpoint.args.map(({ name }) => name);
  const unknown = [...args].filter(([name]) => !names.includes(name));
  return [
    ...unknown.map(([name, parameter]) => {
      const message = `endpoint "${parts.endpoint}" has no argument "${clip(name)}"${hint(name, names)}`;
      return atKey(parameter.path, message);
    }),
    ...endpoint.args.flatMap((argument) => argumentFindings(argument, args.get(argument.name), path)),
  ];
}

function argumentFindings(argument: Argument, given: Parameter | undefined, path: Path): Finding[] {
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
