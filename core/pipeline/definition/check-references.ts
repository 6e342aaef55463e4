import { clip } from '../../config/definition/clip.ts';
import { atValue, type Path, type ValidationIssue } from '../../config/validation-issue.ts';
import type { InputField } from '../input/input-field.ts';
import { formatReference, type ValueReference } from '../reference/reference.ts';
import type { RunsBefore } from './ancestors.ts';
import type { SpellingHint } from './hint.ts';
import type { WrittenNode } from './written-node.ts';

/** A reference, with the node and the place that use it. */
export interface UsedReference {
  readonly reference: ValueReference;
  /** The id of the node. */
  readonly user: string | undefined;
  readonly path: Path;
  readonly offset?: number;
  /** The reference is the whole text of an argument, which may get a file. */
  readonly mayBeFile?: boolean;
}

/** The parts of a pipeline that references can name. */
export interface Referable {
  readonly fields: readonly Pick<InputField, 'name' | 'type'>[];
  readonly nodes: ReadonlyMap<string, WrittenNode>;
  readonly runsBefore: RunsBefore;
  readonly hint: SpellingHint;
}

/**
 * Checks that each reference names a declared field, or a step that runs before the referring one (decision 42, references
 * and conditions).
 */
export function checkReferences(used: readonly UsedReference[], referable: Referable): ValidationIssue[] {
  return used.flatMap((use) => {
    const why = problemOf(use, referable);
    return why === undefined
      ? []
      : [atValue(use.path, `${formatReference(use.reference)}: ${why}`, use.offset)];
  });
}

function problemOf({ reference, user, mayBeFile }: UsedReference, referable: Referable): string | undefined {
  if (reference.from === 'input') return fieldProblem(reference.path, referable);
  if (reference.from === 'trigger') return undefined;
  if (reference.field === 'artifacts' && mayBeFile !== true)
    return 'a file is the whole value of an argument of "type: file", and nothing else';
  const { nodes, runsBefore, hint } = referable;
  const steps = () => [...nodes].filter(([, { kind }]) => kind === 'step').map(([id]) => id);
  const { step } = reference;
  const node = nodes.get(step);
  if (node === undefined) return `there is no step "${clip(step)}"${hint(step, steps())}`;
  if (node.kind === 'condition') return `"${step}" is a condition and leaves no result; a step expected`;
  if (user === undefined || runsBefore(step, user)) return undefined;
  return `step "${step}" does not run before "${user}"; an edge that leads from one to the other expected`;
}

function fieldProblem([name, deeper]: readonly string[], { fields, hint }: Referable): string | undefined {
  const field = fields.find((candidate) => candidate.name === name);
  if (field === undefined) {
    const names = fields.map((candidate) => candidate.name);
    return `the trigger declares no field "${clip(name ?? '')}" in input_schema${hint(name ?? '', names)}`;
  }
  if (deeper === undefined || field.type === 'object' || field.type === 'array') return undefined;
  return `"${field.name}" is a ${field.type} and has nothing in it; declare it as an object`;
}
