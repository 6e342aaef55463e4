import { LIMITS } from '../../plan/limits.ts';
import type { ValueReference } from '../reference/reference.ts';
import { COMPARISONS, type Comparison, type Expression, type ExpressionProblem } from './expression.ts';
import { readTokens, type Token } from './read-tokens.ts';

/** A condition, or why the text is not one. */
export type ParsedExpression =
  | { readonly kind: 'expression'; readonly expression: Expression }
  | ExpressionProblem;

/** Parses a condition by the grammar above `Expression`. */
export function parseExpression(text: string): ParsedExpression {
  if (text.length > LIMITS.expressionChars) {
    const message = `a condition of at most ${LIMITS.expressionChars} characters expected, not ${text.length}`;
    return { kind: 'problem', message, offset: 0 };
  }
  const tokens = readTokens(text);
  if ('kind' in tokens) return tokens;
  try {
    return { kind: 'expression', expression: new Parser(tokens).whole() };
  } catch (error) {
    if (error instanceof Unexpected) return { kind: 'problem', message: error.message, offset: error.offset };
    throw error;
  }
}

/** The references in a condition, each with its position in the text. */
export function referencesOf(expression: Expression): { reference: ValueReference; offset: number }[] {
  switch (expression.kind) {
    case 'literal':
      return [];
    case 'reference':
      return [{ reference: expression.reference, offset: expression.offset }];
    case 'not':
      return referencesOf(expression.operand);
    case 'compare':
      return [...referencesOf(expression.left), ...referencesOf(expression.right)];
    case 'and':
    case 'or':
      return expression.operands.flatMap(referencesOf);
  }
}

/** Leaves the parser from any depth. It is caught in this file. */
class Unexpected extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

type Operator = Extract<Token, { kind: 'operator' }>['operator'];

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#or();
    const { kind, offset } = this.#peek();
    if (kind === 'end') return expression;
    if (this.#comparison() !== undefined)
      throw new Unexpected('a comparison is not compared again; && or parentheses expected', offset);
    throw new Unexpected('an operator or the end expected', offset);
  }

  #or(): Expression {
    return this.#joined('or', '||', () => this.#and());
  }

  #and(): Expression {
    return this.#joined('and', '&&', () => this.#compared());
  }

  #joined(kind: 'and' | 'or', operator: Operator, operand: () => Expression): Expression {
    const first = operand();
    const operands = [first];
    while (this.#take(operator)) operands.push(operand());
    return operands.length === 1 ? first : { kind, operands };
  }

  #compared(): Expression {
    const left = this.#unary();
    const operator = this.#comparison();
    if (operator === undefined) return left;
    this.#next += 1;
    return { kind: 'compare', operator, left, right: this.#unary() };
  }

  #unary(): Expression {
    const token = this.#peek();
    this.#next += 1;
    if (token.kind === 'literal') return { kind: 'literal', value: token.value };
    if (token.kind === 'reference') return token;
    if (token.kind === 'operator' && token.operator === '!')
      return this.#deeper(token.offset, () => ({ kind: 'not', operand: this.#unary() }));
    if (token.kind === 'operator' && token.operator === '(')
      return this.#deeper(token.offset, () => this.#closed(token.offset));
    throw new Unexpected('a literal, a reference such as {input.name}, "!" or "(" expected', token.offset);
  }

  #closed(opened: number): Expression {
    const inner = this.#or();
    if (this.#take(')')) return inner;
    const { offset } = this.#peek();
    throw new Unexpected(`")" expected for the "(" at ${opened + 1}`, offset);
  }

  #deeper(offset: number, read: () => Expression): Expression {
    this.#depth += 1;
    if (this.#depth > LIMITS.expressionDepth)
      throw new Unexpected(
        `at most ${LIMITS.expressionDepth} "(" and "!" inside one another expected`,
        offset,
      );
    const expression = read();
    this.#depth -= 1;
    return expression;
  }

  #take(operator: Operator): boolean {
    const token = this.#peek();
    const isThere = token.kind === 'operator' && token.operator === operator;
    if (isThere) this.#next += 1;
    return isThere;
  }

  #comparison(): Comparison | undefined {
    const token = this.#peek();
    return COMPARISONS.find((operator) => token.kind === 'operator' && token.operator === operator);
  }

  #peek(): Token {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1);
    if (token === undefined) throw new Error('tokens without an end');
    return token;
  }
}
