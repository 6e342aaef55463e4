import { listIn, mappingIn, textIn } from './read-data.ts';

/** A rule of webhook, as far as svc can say the same. */
export interface ReadRule {
  /** The hash of the signature, when the rule wants one. */
  readonly signature?: string;
  /** The expression of a pipeline's condition. */
  readonly condition?: string;
  /** The fields of the payload in the condition. */
  readonly fields: readonly string[];
  readonly notes: readonly string[];
}

const NO_RULE: ReadRule = { fields: [], notes: [] };
const SIGNATURE = /^payload-(?:hmac|hash)-(sha\d+)$/;

/** Reads a `trigger-rule`: signatures, and comparisons of the payload joined by and, or and not. */
export function readRule(rule: unknown): ReadRule {
  if (rule === undefined) return NO_RULE;
  const { and, or, not, match } = mappingIn(rule);
  if (match !== undefined) return readMatch(match);
  if (and !== undefined) return joined(listIn(rule, 'and').map(readRule), '&&');
  if (or !== undefined) return joined(listIn(rule, 'or').map(readRule), '||');
  if (not !== undefined) return negated(readRule(not));
  return { ...NO_RULE, notes: ['A part of its rule is not known and not imported.'] };
}

function readMatch(match: unknown): ReadRule {
  const type = textIn(match, 'type') ?? '';
  const [, hash] = SIGNATURE.exec(type) ?? [];
  const parameter = mappingIn(match).parameter;
  const [source, name] = [textIn(parameter, 'source'), textIn(parameter, 'name') ?? ''];
  if (hash !== undefined) return { ...NO_RULE, signature: hash, notes: signatureNotes(hash, name) };
  const value = textIn(match, 'value');
  if (type === 'value' && source === 'payload' && value !== undefined && /^[\w.]+$/.test(name))
    return { fields: [name], condition: `{input.${name}} == ${JSON.stringify(value)}`, notes: [] };
  return {
    ...NO_RULE,
    notes: [
      `The check "${type}"${name === '' ? '' : ` of ${source} ${name}`} is not imported: calls that it refuses are accepted here.`,
    ],
  };
}

function signatureNotes(hash: string, header: string): string[] {
  if (hash === 'sha256' && /^x-hub-signature-256$/i.test(header)) return [];
  return [
    `webhook checks ${hash} in the header ${header}. Here the signature is X-Hub-Signature-256, which GitHub sends as well.`,
  ];
}

function joined(rules: readonly ReadRule[], operator: '&&' | '||'): ReadRule {
  const conditions = rules.flatMap(({ condition }) => condition ?? []);
  const signature = rules.find((rule) => rule.signature !== undefined)?.signature;
  const notes = rules.flatMap((rule) => rule.notes);
  // One part that is missing makes a choice stricter than it was, and never looser.
  const isPartial = operator === '||' && conditions.length < rules.length;
  return {
    ...(signature === undefined ? {} : { signature }),
    ...(conditions.length === 0
      ? {}
      : {
          condition:
            conditions.length === 1
              ? conditions[0]
              : conditions.map((one) => `(${one})`).join(` ${operator} `),
        }),
    fields: rules.flatMap(({ fields }) => fields),
    notes: isPartial
      ? [
          ...notes,
          'Its rule is a choice, of which only a part is imported: calls that the rest lets in are refused here.',
        ]
      : notes,
  };
}

function negated(rule: ReadRule): ReadRule {
  const { condition, fields, notes } = rule;
  // The opposite of a part would accept calls that the whole refuses.
  return condition === undefined || notes.length > 0
    ? { ...NO_RULE, notes: [...notes, 'A negated check is not imported.'] }
    : { condition: `!(${condition})`, fields, notes };
}
