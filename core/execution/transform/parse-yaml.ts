import { type Document, LineCounter, parseAllDocuments, type YAMLParseError } from 'yaml';
import { writeJsonText } from './json-writer.ts';
import { Unreadable } from './unreadable.ts';

/** How often an anchor may be used: a few lines of aliases of aliases would otherwise grow without bound. */
const MAX_ALIASES = 100;

/**
 * NOTE: Tags of YAML 1.1 would make objects that JSON writes as `{}` or as bytes by number. Without them a set is a map of
 * nulls, an ordered map a list of maps, and binary data its text in base64.
 */
const OPTIONS = { prettyErrors: false, logLevel: 'silent', resolveKnownTags: false } as const;

/** YAML 1.2: the value of the only document, an array of the values of several, null for none. */
export function parseYaml(text: string): string {
  const lineCounter = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter, ...OPTIONS });
  const documents: Document.Parsed[] = [...parsed];
  for (const { errors } of documents) {
    if (errors[0] !== undefined) throw new Unreadable(messageOf(errors[0], lineCounter));
  }
  const values = valuesOf(documents);
  return writeJsonText(values.length > 1 ? values : values[0]);
}

function messageOf({ pos, message }: YAMLParseError, lineCounter: LineCounter): string {
  const { line, col } = lineCounter.linePos(pos[0]);
  return `line ${line}, column ${col}: ${message}`;
}

function valuesOf(documents: readonly Document.Parsed[]): unknown[] {
  try {
    return documents.map((document) => document.toJS({ maxAliasCount: MAX_ALIASES }));
  } catch (cause) {
    throw new Unreadable(`the aliases cannot be resolved: ${(cause as Error).message}`, { cause });
  }
}
