import { atValue, type ValidationIssue } from '../../config/validation-issue.ts';
import { parseExpression, referencesOf } from '../expression/parse-expression.ts';
import type { UsedReference } from './check-references.ts';
import type { WrittenNode } from './written-node.ts';

type Condition = Extract<WrittenNode, { kind: 'condition' }>;

/** Checks that the expression of a condition can be parsed (decision 42, references and conditions). */
export function checkCondition({ parts, path }: Condition): {
  issues: readonly ValidationIssue[];
  references: readonly UsedReference[];
} {
  if (parts.expression === undefined) return { issues: [], references: [] };
  const at = [...path, 'expression'];
  const parsed = parseExpression(parts.expression);
  if (parsed.kind === 'problem') {
    const message = `expression: ${parsed.message} (character ${parsed.offset + 1})`;
    return { issues: [atValue(at, message, parsed.offset)], references: [] };
  }
  const references = referencesOf(parsed.expression).map((used) => ({ ...used, user: parts.id, path: at }));
  return { issues: [], references };
}
