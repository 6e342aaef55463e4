import type { Endpoint } from '../../endpoint/definition.ts';
import type { ValidationIssue } from '../validation-issue.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { endpointSchema } from './schema.ts';
import { shapeIssues } from './shape-issues.ts';

/** The endpoint of a definition that is in no file, or all validation issues by path. */
export type CheckedDefinition =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'issues'; readonly issues: readonly ValidationIssue[] };

/** Checks a definition by the rules of svc.yaml. */
export function checkDefinition(definition: Readonly<Record<string, unknown>>): CheckedDefinition {
  const { endpoint, issues } = checkEndpoint(definition, [], () => undefined);
  if (endpoint !== undefined) return { kind: 'endpoint', endpoint };
  return { kind: 'issues', issues: [...shapeIssues(endpointSchema, definition), ...issues] };
}
