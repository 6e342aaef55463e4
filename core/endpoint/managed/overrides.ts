import { checkDefinition } from '../../config/definition/check-definition.ts';
import type { WireDefinition } from '../../protocol/definition.ts';
import type { Endpoint } from '../definition.ts';
import { withoutUnknownCallers } from '../four-eyes.ts';
import { FLOOR_FIELDS, loosenedFields, withFloor } from './floor.ts';

/**
 * The fields that only the file of an endpoint decides (decision 33, the file is the source of its endpoints). All other
 * fields can be overridden.
 */
export const FILE_FIELDS = [
  'name',
  'command',
  'args',
  'env',
  'accepts_env',
  'cwd',
  'transform',
  'output',
  'content_type',
  'merge',
  'artifacts',
  'stdin',
  'max_stdin',
  'agent_name',
  'approver_keys',
] as const satisfies readonly string[];

/** Fields of a definition, by wire name, that replace those of the file. */
export type EndpointOverrides = WireDefinition;

/**
 * The endpoint of a definition with its overrides; undefined if the definition itself cannot be read.
 *
 * The file may have changed since the override. For a field that the API can only tighten, the stricter value applies
 * (decision 60, the file is a floor). A schedule depends on other fields: a schedule that no longer fits is ignored, and
 * the other overrides remain in force.
 */
export function effectiveEndpoint(
  definition: WireDefinition,
  overrides: EndpointOverrides,
): Endpoint | undefined {
  const file = checkDefinition(definition);
  if (file.kind !== 'endpoint') return undefined;
  const { schedule: _unfit, ...others } = overrides;
  for (const over of [overrides, others]) {
    const checked = checkDefinition({ ...definition, ...over });
    if (checked.kind === 'endpoint') return withoutUnknownCallers(withFloor(file.endpoint, checked.endpoint));
  }
  return undefined;
}

/** The overrides without effect, because the file is now stricter. */
export function outdoneOverrides(definition: WireDefinition, overrides: EndpointOverrides): string[] {
  const fields = FLOOR_FIELDS.filter((field) => field in overrides);
  if (fields.length === 0) return [];
  const [file, over] = [checkDefinition(definition), checkDefinition({ ...definition, ...overrides })];
  if (file.kind !== 'endpoint' || over.kind !== 'endpoint') return [];
  return loosenedFields(file.endpoint, over.endpoint).map(({ field }) => field);
}
