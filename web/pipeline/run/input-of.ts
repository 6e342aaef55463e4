import type { WirePipeline } from '../graph/wire-pipeline.ts';

type Field = WirePipeline['trigger']['input_schema'][number];
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const EXPECTED: Readonly<Record<Field['type'], string>> = {
  string: 'Enter a string.',
  number: 'Enter a number.',
  boolean: 'Enter true or false.',
  object: 'Enter a JSON object, such as {"a": 1}.',
  array: 'Enter a JSON list, such as ["a", "b"].',
};

/** The text in a field; own properties only, since a field may be called `constructor`. */
export function inputText(texts: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(texts, name) ? (texts[name] ?? '') : '';
}

/** Parses the texts of a form into the input of a run; empty fields are left out. The hub checks the input again. */
export function inputOfTexts(fields: readonly Field[], texts: Readonly<Record<string, string>>) {
  const input: Record<string, Json> = {};
  const problems = new Map<string, string>();
  for (const { name, type, required } of fields) {
    const text = inputText(texts, name);
    if (text === '') {
      if (required) problems.set(name, 'Required');
      continue;
    }
    const value = jsonOf(text, type);
    if (value === undefined) problems.set(name, EXPECTED[type]);
    else input[name] = value;
  }
  return { input, problems };
}

function jsonOf(text: string, type: Field['type']): Json | undefined {
  if (type === 'string') return text;
  const value = parsed(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'array') return Array.isArray(value) ? value : undefined;
  return (type === 'object' ? isObject : typeof value === type) ? value : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
