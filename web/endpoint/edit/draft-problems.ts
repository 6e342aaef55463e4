// Before the schemas of core are made.
import '@svc/core/config/without-eval';
import { checkDefinition } from '@svc/core/config/definition/check-definition';
import { draftedDefinition } from './drafted-definition.ts';
import type { EndpointDraft } from './endpoint-draft.ts';

/** What is wrong with one field of a form; `offset` is a place in its text. */
export interface DraftProblem {
  readonly message: string;
  readonly offset?: number | undefined;
}

/** By the name of the field, as in `args.0.default`. */
export type DraftProblems = ReadonlyMap<string, readonly DraftProblem[]>;

/** Everything that is wrong with a form, by the rules of svc.yaml, which are those of the API. */
export function draftProblems(draft: EndpointDraft): DraftProblems {
  const checked = checkDefinition(draftedDefinition(draft));
  return checked.kind === 'endpoint' ? new Map() : groupProblems(checked.findings);
}

interface ValidationIssue extends DraftProblem {
  readonly path: readonly (string | number)[];
}

/** A field deeper than the form has is told at the one around it. */
export function groupProblems(findings: readonly ValidationIssue[]): DraftProblems {
  const problems = new Map<string, DraftProblem[]>();
  for (const { path, message, offset } of findings) {
    const field = fieldOf(path);
    const told = problems.get(field) ?? [];
    if (!told.some((one) => one.message === message)) told.push({ message, offset });
    problems.set(field, told);
  }
  return problems;
}

const DEPTHS: Readonly<Record<string, number>> = { args: 3, transform: 2 };

function fieldOf(path: readonly (string | number)[]): string {
  return path.slice(0, DEPTHS[String(path[0])] ?? 1).join('.');
}
