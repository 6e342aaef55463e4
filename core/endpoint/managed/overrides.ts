import { checkDefinition } from '../../config/definition/check-definition.ts';
import type { WireDefinition } from '../../protocol/definition.ts';
import type { Endpoint } from '../definition.ts';

/** What only the file of an endpoint decides (decision 33); any other field of one can be overridden. */
export const FILE_FIELDS = [
  'name',
  'command',
  'args',
  'env',
  'cwd',
  'transform',
  'agent_name',
] as const satisfies readonly string[];

/** Fields of a definition, by their wire names, that hold instead of those of the file. */
export type Overrides = WireDefinition;

/**
 * The endpoint that a definition and what overrides it make together; undefined when the definition itself cannot be read.
 *
 * The file may have changed since: of all fields only a schedule depends on others, on arguments that need no value. One that
 * does not fit any more is passed over, and everything else holds on: nothing that restricts an endpoint is ever dropped.
 */
export function effectiveEndpoint(definition: WireDefinition, overrides: Overrides): Endpoint | undefined {
  const { schedule: _unfit, ...others } = overrides;
  for (const over of [overrides, others]) {
    const checked = checkDefinition({ ...definition, ...over });
    if (checked.kind === 'endpoint') return checked.endpoint;
  }
  return undefined;
}
