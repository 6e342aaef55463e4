import type { Argument, Endpoint } from '../../endpoint/definition.ts';
import { isForbiddenVariable, isVariableName } from '../../endpoint/environment.ts';
import { parseCron } from '../../schedule/cron.ts';
import { atKey, atValue, type Finding, type Path } from '../finding.ts';
import { checkArguments } from './check-arguments.ts';
import { checkCommand } from './check-command.ts';
import { checkTransform } from './check-transform.ts';
import { endpointFromDefinition } from './endpoint-from-definition.ts';
import { endpointSchema } from './schema.ts';
import { isRecord, soundParts } from './sound-parts.ts';
import type { TextAt } from './written-text.ts';

/** What looking at one endpoint gave: the endpoint only where its shape is right and there are no findings. */
export interface CheckedEndpoint {
  readonly endpoint?: Endpoint;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/**
 * Checks what the shape of the endpoint at `path` does not show: its command, arguments, schedule, environment, transformer.
 *
 * Whatever has a wrong shape is passed over, because `shapeFindings` tells it, and so is what depends on it.
 */
export function checkEndpoint(value: unknown, path: Path, textAt: TextAt): CheckedEndpoint {
  if (!isRecord(value)) return { findings: [], warnings: [] };
  const parts = soundParts(endpointSchema, value);
  const { args, findings: argumentFindings } = checkArguments(value.args, [...path, 'args'], textAt);
  const command = checkCommand(parts.command, args, path);
  const findings = [
    ...argumentFindings,
    ...command.findings,
    ...scheduleFindings(parts.schedule, [...path, 'schedule']),
    ...unattendedFindings(value, args, path),
    ...environmentFindings(value.env, [...path, 'env']),
    ...checkTransform(value.transform, [...path, 'transform']),
  ];
  const warnings = [...command.warnings, ...approvalWarnings(value, path)];
  const whole = endpointSchema.safeParse(value);
  const { program } = command;
  if (findings.length > 0 || !whole.success || !program) return { findings, warnings };
  const known = args.filter((argument) => argument !== undefined);
  const endpoint = endpointFromDefinition(whole.data, { args: known, program, path, textAt });
  return { endpoint, findings, warnings };
}

function scheduleFindings(schedule: string | undefined, path: Path): Finding[] {
  if (schedule === undefined) return [];
  const cron = parseCron(schedule);
  return cron.kind === 'problem' ? [atValue(path, cron.message, cron.offset)] : [];
}

/** A schedule passes no arguments, so each must do without or have a default (decision 37). */
function unattendedFindings(
  value: Readonly<Record<string, unknown>>,
  args: readonly (Argument | undefined)[],
  path: Path,
): Finding[] {
  if (value.schedule === undefined) return [];
  return args.flatMap((argument, index) => {
    if (!argument?.required || argument.default !== undefined) return [];
    const message = `argument "${argument.name}" is required, and the schedule passes none; give it a default`;
    return [atKey([...path, 'args', index, 'required'], message)];
  });
}

/** The variables of an `env` that no endpoint and no step may set (decision 12). */
export function environmentFindings(env: unknown, path: Path): Finding[] {
  if (!isRecord(env)) return [];
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

function approvalWarnings(value: Readonly<Record<string, unknown>>, path: Path): Finding[] {
  if (value.approval_required === true) return [];
  return ['approval_timeout_mins', 'approvers', 'allow_self']
    .filter((key) => Object.hasOwn(value, key))
    .map((key) => atKey([...path, key], `${key} does nothing without "approval_required: true"`));
}
