import { LIMITS } from '../../plan/limits.ts';
import type { JsonValue } from './json-value.ts';
import { readReference, type ValueReference } from './reference.ts';
import { resolveReference, type Scope } from './resolve-reference.ts';

/** A parsed text parameter of a step: texts and the references between them. */
export type TextTemplate = readonly (string | ValueReference)[];

/** The result of parsing a text parameter. */
export type ParsedTextTemplate =
  | { readonly kind: 'template'; readonly template: TextTemplate }
  | { readonly kind: 'problem'; readonly message: string; readonly offset: number };

/** Braces without `input`, `trigger` or `steps` are text, as in `{"a": 1}` or `{{.Names}}`. */
const START = /\{(?:input|trigger|steps)(?=[.}])/g;

/** Finds the references in a text. A malformed reference is a problem, not text. */
export function parseTextTemplate(text: string): ParsedTextTemplate {
  const template: (string | ValueReference)[] = [];
  let at = 0;
  for (const { index } of text.matchAll(START)) {
    const read = readReference(text, index);
    if (read.kind === 'problem') return read;
    if (index > at) template.push(text.slice(at, index));
    template.push(read.reference);
    at = read.end;
  }
  if (at < text.length) template.push(text.slice(at));
  return { kind: 'template', template };
}

/** A file that a step has left. */
export interface StepFile {
  readonly step: string;
  readonly name: string;
}

/** The file that a text stands for; undefined for a text that is anything else, or more. */
export function stepFile(template: TextTemplate): StepFile | undefined {
  const [only] = template;
  if (template.length !== 1 || only === undefined || typeof only === 'string') return undefined;
  if (only.from !== 'step' || only.field !== 'artifacts') return undefined;
  return { step: only.step, name: only.path.join('.') };
}

/** The references in a template. */
export function referencesIn(template: TextTemplate): ValueReference[] {
  return template.filter((part) => typeof part !== 'string');
}

/**
 * The value of a text parameter. A text that is one reference keeps the type of its value; any other text is a string
 * (decision 42, references and conditions).
 *
 * The value of a reference is data and is never searched for references (decision 6, two modes of a command).
 */
export function resolveTemplate(template: TextTemplate, scope: Scope): JsonValue {
  const [only] = template;
  if (template.length === 1 && only !== undefined && typeof only !== 'string')
    return resolveReference(only, scope);
  let text = '';
  for (const part of template) {
    // The sum is limited here, because thousands of references to a megabyte each would become gigabytes. A value of this
    // length is refused anyway.
    if (text.length > LIMITS.valueBytes) break;
    text += typeof part === 'string' ? part : (templateValueText(resolveReference(part, scope)) ?? '');
  }
  return text;
}

/**
 * The text for an argument or a variable. Undefined if the parameter is one reference without a value; the argument is then
 * left out.
 */
export function resolveText(template: TextTemplate, scope: Scope): string | undefined {
  return templateValueText(resolveTemplate(template, scope));
}

/** A string unchanged, any other value as its JSON text; undefined for null. */
export function templateValueText(value: JsonValue): string | undefined {
  if (value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
