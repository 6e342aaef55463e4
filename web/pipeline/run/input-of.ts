import type { WirePipeline } from '../graph/wire-pipeline.ts';

type Field = WirePipeline['trigger']['input_schema'][number];
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const EXPECTED: Readonly<Record<Field['type'], string>> = {
  string: 'A text expected.',
  number: 'A number expected.',
  boolean: 'true or false expected.',
  object: 'A JSON object expected, such as {"a": 1}.',
};

/** What was typed into the field of a name, which may be any: `constructor` is one. */
export function textOf(texts: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(texts, name) ? (texts[name] ?? '') : '';
}

/** The input that the texts of a form stand for; an empty field is left out. The hub checks it again. */
export function inputOf(fields: readonly Field[], texts: Readonly<Record<string, string>>) {
  const input: Record<string, Json> = {};
  const problems = new Map<string, string>();
  for (const { name, type, required } of fields) {
    const text = textOf(texts, name);
    if (text === '') {
      if (required) problems.set(name, 'It is required.');
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
  return (type === 'object' ? isObject : typeof value === type) ? value : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
