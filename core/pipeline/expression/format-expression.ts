import { formatReference } from '../reference/reference.ts';
import type { Expression } from './expression.ts';

const BINDS = { or: 1, and: 2, compare: 3, not: 4, literal: 5, reference: 5 } as const;

/** The text of a condition, with the parentheses that it needs and no others; read again it is the same condition. */
export function formatExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'string'
        ? quoted(expression.value)
        : JSON.stringify(expression.value);
    case 'reference':
      return formatReference(expression.reference);
    case 'not':
      return `!${within(expression.operand, BINDS.not)}`;
    case 'compare': {
      const tighter = BINDS.compare + 1;
      return `${within(expression.left, tighter)} ${expression.operator} ${within(expression.right, tighter)}`;
    }
    case 'and':
      return expression.operands.map((operand) => within(operand, BINDS.and + 1)).join(' && ');
    case 'or':
      return expression.operands.map((operand) => within(operand, BINDS.or + 1)).join(' || ');
  }
}

function within(operand: Expression, least: number): string {
  const text = formatExpression(operand);
  return BINDS[operand.kind] < least ? `(${text})` : text;
}

/** Only what the reader knows: other control characters stand for themselves. */
function quoted(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
