import { ancestry } from '@svc/core/pipeline/definition/ancestors';
import { type Pipeline, TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import { formatReference, STEP_FIELDS, TRIGGER_FIELDS } from '@svc/core/pipeline/reference/reference';

/** The references that a node may use: fields of the input, facts of a webhook, and results of the steps before it, nearest first. */
export function offeredReferences({ trigger, nodes, edges }: Pipeline, id: string): readonly string[] {
  const runsBefore = ancestry([TRIGGER_ID, ...nodes.map((node) => node.id)], edges);
  const before = nodes.filter((node) => node.kind === 'step' && runsBefore(node.id, id));
  const steps = before.toSorted((one, other) => (runsBefore(one.id, other.id) ? 1 : -1));
  return [
    ...trigger.inputSchema.map(({ name }) => formatReference({ from: 'input', path: [name] })),
    ...steps.flatMap(({ id: step }) =>
      STEP_FIELDS.filter((field) => field !== 'artifacts').map((field) =>
        formatReference({ from: 'step', step, field, path: [] }),
      ),
    ),
    ...(trigger.type === 'webhook'
      ? TRIGGER_FIELDS.map((field) => formatReference({ from: 'trigger', field }))
      : []),
  ];
}

/** A reference at the end of a text that is still being typed. */
const OPEN_REFERENCE = /\{[\p{L}\p{N}_$@.-]*$/u;

/**
 * The texts to offer for a value: its typed end completed to each reference, or else the fixed values and the references
 * themselves.
 */
export function completedValues(
  value: string,
  { fixed, references }: { readonly fixed: readonly string[]; readonly references: readonly string[] },
): readonly string[] {
  const typed = OPEN_REFERENCE.exec(value);
  if (typed === null) return [...fixed, ...references];
  const text = value.slice(0, typed.index);
  return references.filter((one) => one.startsWith(typed[0])).map((one) => text + one);
}
