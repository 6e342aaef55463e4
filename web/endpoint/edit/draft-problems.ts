// Must run before core creates its schemas.
import '../real-pattern-engine.ts';
import { checkDefinition } from '@svc/core/config/definition/check-definition';
import { draftedDefinition } from './drafted-definition.ts';
import type { EndpointDraft } from './endpoint-draft.ts';

/** A problem with one field of a form; `offset` is a position in its text. */
export interface DraftProblem {
  readonly message: string;
  readonly offset?: number | undefined;
}

/** By the name of the field, as in `args.0.default`. */
export type DraftProblems = ReadonlyMap<string, readonly DraftProblem[]>;

/** All problems of a form, by the rules of svc.yaml, which the API shares. */
export function draftProblems(draft: EndpointDraft): DraftProblems {
  const checked = checkDefinition(draftedDefinition(draft));
  return checked.kind === 'endpoint' ? new Map() : groupProblems(checked.issues);
}

interface ValidationIssue extends DraftProblem {
  readonly path: readonly (string | number)[];
}

/** Groups issues by field. An issue deeper than the form's fields belongs to the field around it. */
export function groupProblems(issues: readonly ValidationIssue[]): DraftProblems {
  const problems = new Map<string, DraftProblem[]>();
  for (const { path, message, offset } of issues) {
    const field = fieldOf(path);
    const known = problems.get(field) ?? [];
    if (!known.some((one) => one.message === message)) known.push({ message, offset });
    problems.set(field, known);
  }
  return problems;
}

const DEPTHS: Readonly<Record<string, number>> = { args: 3, transform: 2 };

function fieldOf(path: readonly (string | number)[]): string {
  return path.slice(0, DEPTHS[String(path[0])] ?? 1).join('.');
}
