import { parseSync } from 'vite';

/** A text that people read or hear in the dashboard, and its place in the sources. */
export interface VisibleString {
  /** From 1. */
  readonly line: number;
  /** Values that are filled in stand as `{…}`. */
  readonly text: string;
}

/** Attributes and properties whose text is shown or read aloud, also when it is one word. */
const SHOWN_NAMES = new Set([
  ...['title', 'label', 'aria-label', 'placeholder', 'alt', 'hint', 'about', 'action', 'summary', 'heading'],
  ...['copyLabel', 'what', 'why', 'reason', 'problem', 'advice', 'word', 'words', 'message', 'name', 'aside'],
]);
/** Attributes and calls that hold class names, drawings, addresses and switches, never words. */
const CODE_NAMES = new Set([
  ...['className', 'style', 'd', 'viewBox', 'to', 'href', 'rel', 'type', 'role', 'kind', 'id', 'key', 'tone'],
  ...['classes', 'querySelector', 'querySelectorAll', 'closest', 'matches', 'matchMedia', 'getPropertyValue'],
]);
const CODE_NODES = /^(ImportDeclaration|ExportAllDeclaration|ImportExpression|TS.*)$/;
/** TypeScript nodes that wrap a value: the text in them is shown. */
const VALUE_NODES = /^TS(AsExpression|SatisfiesExpression|NonNullExpression)$/;
/** Words with a space between them; class names have hyphens, colons and brackets in every other word. */
const PROSE = /^[\p{L}“"…]?.*\p{L}{2}.* .*\p{L}/u;
const CLASS_NAMES = /(^| )-?[a-z]+(-[a-z0-9[\]./%]+)+( |$)|(^| )[a-z-]+:[a-z]/;
const ONE_WORD = /^\p{Lu}\p{Ll}+$/u;

interface Around {
  readonly source: string;
  /** The text stands where it is shown; undefined: only prose is taken. */
  readonly isShown: boolean;
  readonly add: (offset: number, text: string) => void;
}

/** All texts of one source that people see, in the order in which they stand in the source. */
export function visibleStrings(file: string, source: string): VisibleString[] {
  const { program, errors } = parseSync(file, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const found: VisibleString[] = [];
  const add = (offset: number, text: string) => {
    const shown = text.replaceAll(/\s+/g, ' ').trim();
    if (/\p{L}/u.test(shown)) found.push({ line: source.slice(0, offset).split('\n').length, text: shown });
  };
  walk(program, { source, isShown: false, add });
  return found.toSorted((one, other) => one.line - other.line);
}

type Node = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;

function walk(value: unknown, around: Around): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, around);
    return;
  }
  if (isNode(value)) visit(value, around);
}

function visit(node: Node, around: Around): void {
  switch (node.type) {
    case 'JSXText':
      around.add(firstLetter(node.start, around.source), String(node.value));
      return;
    case 'Literal':
      if (typeof node.value === 'string') addText(node.start, node.value, around);
      return;
    case 'TemplateLiteral':
      addText(node.start, templateText(node), around);
      walk(node.expressions, around);
      return;
    case 'JSXAttribute':
      walkNamed(nameOf(node.name), node.value, around);
      return;
    case 'Property':
      walkNamed(nameOf(node.key), node.value, around);
      return;
    case 'CallExpression':
      walkNamed(nameOf(node.callee), node.arguments, { ...around, isShown: false });
      return;
    case 'ConditionalExpression':
      walk(node.test, { ...around, isShown: false });
      walk([node.consequent, node.alternate], around);
      return;
    case 'BinaryExpression':
      // Both sides of a comparison are code.
      if (node.operator === '+') walk([node.left, node.right], around);
      return;
    case 'JSXElement':
      walk(node.openingElement, { ...around, isShown: false });
      walk(node.children, { ...around, isShown: true });
      return;
    case 'ArrowFunctionExpression':
      walk(node.body, around);
      return;
    default:
      if (CODE_NODES.test(node.type) && !VALUE_NODES.test(node.type)) return;
      walkParts(node, around);
  }
}

function walkParts(node: Node, around: Around): void {
  const isPassedOn = /^(JSXExpressionContainer|LogicalExpression|JSXFragment|TS.*)$/.test(node.type);
  for (const [key, part] of Object.entries(node))
    if (key !== 'typeAnnotation') walk(part, { ...around, isShown: isPassedOn && around.isShown });
}

function walkNamed(name: string, value: unknown, around: Around): void {
  if (CODE_NAMES.has(name)) return;
  walk(value, { ...around, isShown: SHOWN_NAMES.has(name) });
}

function addText(offset: number, text: string, { isShown, add }: Around): void {
  const isProse = PROSE.test(text) && !CLASS_NAMES.test(text);
  if (isShown || isProse || ONE_WORD.test(text)) add(offset, text);
}

function templateText({ quasis }: Node): string {
  return (quasis as readonly { readonly value: { readonly cooked: string } }[])
    .map(({ value }) => value.cooked)
    .join('{…}');
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'MemberExpression') return nameOf(node.property);
  const name = node.name ?? node.value;
  return typeof name === 'string' ? name : '';
}

function firstLetter(from: number, source: string): number {
  const rest = source.slice(from);
  return from + rest.length - rest.trimStart().length;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
