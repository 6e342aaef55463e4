import { checkDefinition } from '../../config/definition/check-definition.ts';
import type { WireDefinition } from '../../protocol/definition.ts';
import type { Endpoint } from '../definition.ts';
import { withoutUnknownCallers } from '../four-eyes.ts';
import { FLOOR_FIELDS, loosenedFields, withFloor } from './floor.ts';

/** What only the file of an endpoint decides (decision 33); any other field of one can be overridden. */
export const FILE_FIELDS = [
  'name',
  'command',
  'args',
  'env',
  'accepts_env',
  'cwd',
  'transform',
  'agent_name',
  'approver_keys',
] as const satisfies readonly string[];

/** Fields of a definition, by their wire names, that hold instead of those of the file. */
export type Overrides = WireDefinition;

/**
 * The endpoint that a definition and what overrides it make together; undefined when the definition itself cannot be read.
 *
 * The file may have changed since. For each field that is a floor, the stricter value counts (decision 60). A schedule depends on
 * other fields: one that no longer fits is skipped, and all other overrides stay in force.
 */
export function effectiveEndpoint(definition: WireDefinition, overrides: Overrides): Endpoint | undefined {
  const file = checkDefinition(definition);
  if (file.kind !== 'endpoint') return undefined;
  const { schedule: _unfit, ...others } = overrides;
  for (const over of [overrides, others]) {
    const checked = checkDefinition({ ...definition, ...over });
    if (checked.kind === 'endpoint') return withoutUnknownCallers(withFloor(file.endpoint, checked.endpoint));
  }
  return undefined;
}

/** The overrides that have no effect, because the file is stricter by now. */
export function outdoneOverrides(definition: WireDefinition, overrides: Overrides): string[] {
  const fields = FLOOR_FIELDS.filter((field) => field in overrides);
  if (fields.length === 0) return [];
  const [file, over] = [checkDefinition(definition), checkDefinition({ ...definition, ...overrides })];
  if (file.kind !== 'endpoint' || over.kind !== 'endpoint') return [];
  return loosenedFields(file.endpoint, over.endpoint).map(({ field }) => field);
}
