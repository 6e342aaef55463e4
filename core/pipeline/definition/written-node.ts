import { isMapping, soundParts } from '../../config/definition/sound-parts.ts';
import type { Path } from '../../config/finding.ts';
import { conditionSchema, stepSchema } from './schema.ts';

type StepParts = ReturnType<typeof soundParts<typeof stepSchema>>;
type ConditionParts = ReturnType<typeof soundParts<typeof conditionSchema>>;

/** A node as it was written: what of it has the right shape, whatever is wrong with the rest. */
export type WrittenNode = { readonly path: Path; readonly value: unknown } & (
  | { readonly kind: 'step'; readonly parts: StepParts }
  | { readonly kind: 'condition'; readonly parts: ConditionParts }
);

/** Looks at each of the nodes by itself; one without `kind` is a condition when it has an expression. */
export function writtenNodes(nodes: unknown, path: Path): WrittenNode[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.map((value, index) => {
    const at = { path: [...path, index], value };
    if (kindOf(value) === 'condition')
      return { ...at, kind: 'condition', parts: soundParts(conditionSchema, value) };
    return { ...at, kind: 'step', parts: soundParts(stepSchema, value) };
  });
}

function kindOf(value: unknown): 'step' | 'condition' {
  if (!isMapping(value)) return 'step';
  if (value.kind === 'condition') return 'condition';
  return value.kind === undefined && value.expression !== undefined ? 'condition' : 'step';
}
