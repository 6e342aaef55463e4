import { isAcceptable } from '../../endpoint/accepted-variable.ts';
import type { DeclaredArgument, Endpoint } from '../../endpoint/definition.ts';
import { isForbiddenVariable, isVariableName } from '../../endpoint/environment.ts';
import { resultSchemaProblem } from '../../endpoint/value/json-schema.ts';
import { KINDS_OF_KEYS, type ParseKind } from '../../execution/transform/transform.ts';
import { HOSTED_AGENT } from '../../protocol/agent-name.ts';
import { parseCron } from '../../schedule/cron.ts';
import { atKey, atValue, formatPath, type Path, type ValidationIssue } from '../validation-issue.ts';
import { alertIssues } from './alert-schema.ts';
import { checkArguments, inferredDefaultIssues } from './check-arguments.ts';
import { dependencyIssues } from './check-choices.ts';
import { type CheckedCommand, checkCommand } from './check-command.ts';
import { fileIssues, inputIssues } from './check-input.ts';
import { decodeEndpoint } from './endpoint-codec.ts';
import { endpointSchema, transformSchema } from './schema.ts';
import { isMapping, soundParts } from './sound-parts.ts';
import type { TextAt } from './written-text.ts';

/** The name of the agent that is the cloud runner (reference 2.2). */
const HOSTED = 'hosted';

/** The result of checking an endpoint. `endpoint` is set only if the shape is right and there are no issues. */
export interface CheckedEndpoint {
  readonly endpoint?: Endpoint;
  readonly issues: readonly ValidationIssue[];
  readonly warnings: readonly ValidationIssue[];
}

/**
 * Checks the endpoint at `path` beyond its shape: command, arguments, schedule, environment and transformer.
 *
 * A value with a wrong shape is skipped, and so is every value that depends on it: `shapeIssues` reports it.
 */
export function checkEndpoint(value: unknown, path: Path, textAt: TextAt): CheckedEndpoint {
  if (!isMapping(value)) return { issues: [], warnings: [] };
  const parts = soundParts(endpointSchema, value);
  const { args, issues: argumentIssues } = checkArguments(value.args, [...path, 'args'], textAt);
  const command = checkCommand(parts.command, args, path);
  const issues = [
    ...argumentIssues,
    ...commandIssues(command, value.args, [...path, 'args']),
    ...dependencyIssues(parts.agent_name, args, [...path, 'args']),
    ...rootIssues(parts.agent_name, args, [...path, 'args']),
    ...scheduleIssues(parts.schedule, [...path, 'schedule']),
    ...unattendedIssues(value, args, path),
    ...environmentIssues(value.env, [...path, 'env']),
    ...acceptedIssues(value.accepts_env, [...path, 'accepts_env']),
    ...signedIssues(value, args, path),
    ...checkTransform(value.transform, [...path, 'transform']),
    ...outputIssues(value, path),
    ...alertIssues(value.alerts, [...path, 'alerts']),
    ...inputIssues(value, path),
    ...fileIssues(value, args, path),
  ];
  const warnings = [...command.warnings, ...approvalWarnings(value, path), ...hostedWarnings(value, path)];
  const whole = endpointSchema.safeParse(value);
  const { program } = command;
  if (issues.length > 0 || !whole.success || !program) return { issues, warnings };
  const known = command.args.filter((argument) => argument !== undefined);
  const endpoint = decodeEndpoint(whole.data, { args: known, program, path, textAt });
  return { endpoint, issues, warnings };
}

/** A default that does not match its inferred type is reported once, even if it also begins with a dash. */
function commandIssues(command: CheckedCommand, list: unknown, path: Path): ValidationIssue[] {
  const defaults = inferredDefaultIssues(list, command.args, path);
  const reported = new Set(defaults.map((issue) => formatPath(issue.path)));
  return [...command.issues.filter((issue) => !reported.has(formatPath(issue.path))), ...defaults];
}

/** A container has no folders of the agent's machine. */
function rootIssues(
  agentName: string | undefined,
  args: readonly (DeclaredArgument | undefined)[],
  path: Path,
): ValidationIssue[] {
  if (agentName !== HOSTED) return [];
  return args.flatMap((argument, index) => {
    if (argument?.root === undefined) return [];
    const message = `argument "${argument.name}": the hosted runner has no folders of yours, so it can keep no root; leave "root" out`;
    return [atKey([...path, index, 'root'], message)];
  });
}

function scheduleIssues(schedule: string | undefined, path: Path): ValidationIssue[] {
  if (schedule === undefined) return [];
  const cron = parseCron(schedule);
  return cron.kind === 'problem' ? [atValue(path, cron.message, cron.offset)] : [];
}

/** A schedule passes no arguments, so each argument must be optional or have a default (decision 37, schedules). */
function unattendedIssues(
  value: Readonly<Record<string, unknown>>,
  args: readonly (DeclaredArgument | undefined)[],
  path: Path,
): ValidationIssue[] {
  if (value.schedule === undefined) return [];
  return args.flatMap((argument, index) => {
    if (!argument?.required || argument.default !== undefined) return [];
    const message = `argument "${argument.name}" is required, and the schedule passes none; give it a default`;
    return [atKey([...path, 'args', index, 'required'], message)];
  });
}

/** Checks `env` for variables that no endpoint and no step may set (decision 12, the environment of a command). */
export function environmentIssues(env: unknown, path: Path): ValidationIssue[] {
  if (!isMapping(env)) return [];
  return Object.keys(env).flatMap((name) => {
    if (!isVariableName(name)) {
      const accepted = 'letters, digits and "_", the first no digit';
      return [atKey([...path, name], `"${name}" is no name of a variable: ${accepted} expected`)];
    }
    if (!isForbiddenVariable(name)) return [];
    const why = 'it decides what a program loads or is, or belongs to svc (decision 12)';
    return [atKey([...path, name], `variable "${name}" cannot be set: ${why}`)];
  });
}

/** Checks for names that an endpoint may not accept from a step (decision 60, the file is a floor). */
function acceptedIssues(names: unknown, path: Path): ValidationIssue[] {
  if (!Array.isArray(names)) return [];
  return names.flatMap((name: unknown, index) => {
    if (typeof name !== 'string' || isAcceptable(name)) return [];
    const why = isVariableName(name)
      ? 'a loader, a shell or an interpreter acts upon it (decision 60)'
      : 'letters, digits and "_" are expected, the first no digit';
    return [atValue([...path, index], `variable "${name}" cannot be accepted from a step: ${why}`)];
  });
}

/** An approver signs everything that runs, so no part may be hidden (decision 60, the file is a floor). */
function signedIssues(
  value: Readonly<Record<string, unknown>>,
  args: readonly (DeclaredArgument | undefined)[],
  path: Path,
): ValidationIssue[] {
  if (value.approver_keys === undefined) return [];
  const hidden = args.flatMap((argument, index) => {
    if (argument?.secret !== true) return [];
    const message = `argument "${argument.name}" is secret, and with approver_keys an approver signs every value: use a managed secret`;
    return [atKey([...path, 'args', index, 'secret'], message)];
  });
  const accepts = Array.isArray(value.accepts_env) && value.accepts_env.length > 0;
  const message =
    'approvers do not see variables, and with approver_keys they sign all that runs: use an argument';
  const unchecked = 'a hosted runner checks no signatures: approver_keys are for agents that have this file';
  return [
    ...hidden,
    ...(accepts ? [atKey([...path, 'accepts_env'], message)] : []),
    ...(value.agent_name === HOSTED_AGENT ? [atKey([...path, 'approver_keys'], unchecked)] : []),
  ];
}

/** Raw output has its own answer and its own record, so some keys have no meaning beside it (decision 68, raw output). */
function outputIssues(value: Readonly<Record<string, unknown>>, path: Path): ValidationIssue[] {
  const has = (key: string) => value[key] !== undefined;
  const isRaw = value.output === 'raw';
  const issues: [boolean, string, string][] = [
    [isRaw && has('transform'), 'transform', 'a transform makes data, and "output: raw" answers with bytes'],
    [
      isRaw && value.merge === true,
      'merge',
      '"output: raw" answers with stdout alone, so stderr stays apart from it',
    ],
    [!isRaw && has('content_type'), 'content_type', 'content_type belongs to "output: raw"'],
    [value.merge === false && has('transform'), 'merge', 'a transform reads stdout alone; leave "merge" out'],
  ];
  return issues.flatMap(([isWrong, key, message]) => (isWrong ? [atKey([...path, key], message)] : []));
}

function approvalWarnings(value: Readonly<Record<string, unknown>>, path: Path): ValidationIssue[] {
  if (value.approval_required === true) return [];
  return ['approval', 'approval_timeout_mins', 'approvers', 'allow_self', 'approver_keys']
    .filter((key) => Object.hasOwn(value, key))
    .map((key) => atKey([...path, key], `${key} does nothing without "approval_required: true"`));
}

/** Only the text of the command reaches a container, so a program beside the file is not there. */
function hostedWarnings(value: Readonly<Record<string, unknown>>, path: Path): ValidationIssue[] {
  if (value.agent_name !== HOSTED_AGENT || typeof value.command !== 'string') return [];
  const [program] = /^\.{1,2}\/\S+/.exec(value.command.trim()) ?? [];
  if (program === undefined) return [];
  const message = `"${program}" is not in a container of the hosted runner, which gets only the text of the command`;
  return [atValue([...path, 'command'], message)];
}

/**
 * Checks the `transform` at `path` beyond its shape: some kinds need a key, and some keys belong to some kinds
 * (decision 27, the transformer).
 */
function checkTransform(transform: unknown, path: Path): ValidationIssue[] {
  const { parse, pattern } = soundParts(transformSchema, transform);
  if (parse === undefined || !isMapping(transform)) return [];
  const missing = Object.entries(NEEDED).find(
    ([kind, { key }]) => parse === kind && !Object.hasOwn(transform, key),
  );
  if (missing !== undefined)
    return [atValue([...path, 'parse'], `parse "${parse}" needs a ${missing[1].key}: ${missing[1].what}`)];
  const misplaced = Object.entries(KINDS_OF_KEYS).find(
    ([key, kinds]: [string, readonly ParseKind[]]) => Object.hasOwn(transform, key) && !kinds.includes(parse),
  );
  if (misplaced !== undefined) {
    const [key, kinds] = misplaced;
    const owners = kinds.map((kind) => `"parse: ${kind}"`).join(', ');
    return [atKey([...path, key], `${key} belongs to ${owners}, not to "parse: ${parse}"`)];
  }
  const patterns = pattern === undefined ? [] : patternIssues(pattern, [...path, 'pattern']);
  return [...patterns, ...resultSchemaIssues(transform, path)];
}

/** A tool promises its agents structured data, which the protocol wants to be an object (decision 66, tools for AI agents). */
function resultSchemaIssues(
  { schema, on_error }: Readonly<Record<string, unknown>>,
  path: Path,
): ValidationIssue[] {
  if (!isMapping(schema)) return [];
  const problem =
    resultSchemaProblem(schema) ??
    (on_error === 'raw' ? 'schema promises data, so "on_error: raw" cannot stand beside it' : undefined);
  return problem === undefined ? [] : [atKey([...path, 'schema'], problem)];
}

/** The key that a kind cannot do without. */
const NEEDED = {
  regex: { key: 'pattern', what: 'a regular expression with named groups' },
  jc: { key: 'parser', what: 'the name of a parser of jc, such as dig' },
} as const;

/**
 * The transformer compiles the pattern with the `u` flag of ECMAScript. Without a named group the pattern yields no field.
 */
function patternIssues(pattern: string, path: Path): ValidationIssue[] {
  try {
    const groups = new RegExp(`(?:${pattern})|`, 'u').exec('')?.groups;
    return groups ? [] : [atValue(path, 'pattern has no named group, such as (?<name>...)')];
  } catch (error) {
    return [atValue(path, `pattern: ${(error as Error).message}`)];
  }
}
