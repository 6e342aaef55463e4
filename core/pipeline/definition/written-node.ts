import { isMapping, soundParts } from '../../config/definition/sound-parts.ts';
import type { Path } from '../../config/validation-issue.ts';
import { conditionSchema, stepSchema } from './schema.ts';

type StepParts = ReturnType<typeof soundParts<ReturnType<typeof stepSchema>>>;
type ConditionParts = ReturnType<typeof soundParts<ReturnType<typeof conditionSchema>>>;

/** A node as written: the parts with the right shape, whatever the issues of the others. */
export type WrittenNode = { readonly path: Path; readonly value: unknown } & (
  | { readonly kind: 'step'; readonly parts: StepParts }
  | { readonly kind: 'condition'; readonly parts: ConditionParts }
);

/** Checks each node by itself. A node without `kind` is a condition if it has an expression. */
export function writtenNodes(nodes: unknown, path: Path): WrittenNode[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.map((value, index) => {
    const at = { path: [...path, index], value };
    if (kindOf(value) === 'condition')
      return { ...at, kind: 'condition', parts: soundParts(conditionSchema(), value) };
    return { ...at, kind: 'step', parts: soundParts(stepSchema(), value) };
  });
}

function kindOf(value: unknown): 'step' | 'condition' {
  if (!isMapping(value)) return 'step';
  if (value.kind === 'condition') return 'condition';
  return value.kind === undefined && value.expression !== undefined ? 'condition' : 'step';
}
