import { LIMITS } from '../../plan/limits.ts';
import type { JsonValue } from './json-value.ts';
import { readReference, type ValueReference } from './reference.ts';
import { resolveReference, type Scope } from './resolve-reference.ts';

/** A text parameter of a step, read once: texts and the references between them. */
export type TextTemplate = readonly (string | ValueReference)[];

/** What reading a text parameter gave. */
export type ParsedTextTemplate =
  | { readonly kind: 'template'; readonly template: TextTemplate }
  | { readonly kind: 'problem'; readonly message: string; readonly offset: number };

/** Braces that are not about input or steps are text, as in `{"a": 1}` or `{{.Names}}`. */
const START = /\{(?:input|steps)(?=[.}])/g;

/** Finds the references in a text; one that begins as such and is none is a problem, not text. */
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

/** The references in a template. */
export function referencesIn(template: TextTemplate): ValueReference[] {
  return template.filter((part) => typeof part !== 'string');
}

/**
 * The value of a text parameter: of its own type where the text is one reference, else text (decision 42).
 *
 * What a reference brings is never looked at for references again: it is data (decision 6).
 */
export function resolveTemplate(template: TextTemplate, scope: Scope): JsonValue {
  const [only] = template;
  if (template.length === 1 && only !== undefined && typeof only !== 'string')
    return resolveReference(only, scope);
  let text = '';
  for (const part of template) {
    // Thousands of references to a megabyte each must not become gigabytes: what is too long for a value is refused anyway.
    if (text.length > LIMITS.valueBytes) break;
    text += typeof part === 'string' ? part : (templateValueText(resolveReference(part, scope)) ?? '');
  }
  return text;
}

/** The same as an argument or a variable takes it; undefined, where a reference alone finds nothing: it is left out. */
export function resolveText(template: TextTemplate, scope: Scope): string | undefined {
  return templateValueText(resolveTemplate(template, scope));
}

/** Text as it is, anything else as its JSON text; undefined for null. */
export function templateValueText(value: JsonValue): string | undefined {
  if (value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
