import { attributeOf, isObject, isSameName, withoutSchema } from './attribute-path.ts';
import { type FilterComparison, readFilter } from './filter.ts';
import { refuseScim } from './scim-error.ts';

/** One change of one attribute. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: AttributePath;
  readonly value: unknown;
}

/** `emails[type eq "work"].value`; extensions of the standard are one attribute whatever follows. */
interface AttributePath {
  readonly attribute: string;
  readonly filter: readonly FilterComparison[];
  readonly sub: string | undefined;
}

const MAX_OPERATIONS = 1_000;
const OPS = ['add', 'replace', 'remove'] as const;
const PATH = /^([A-Za-z][\w$-]*)(?:\[(.*)\])?(?:\.([\w$-]+))?$/s;

/**
 * Reads the body of a PATCH (RFC 7644, section 3.5.2) into single changes. Without a path, each field of the value is one; Microsoft
 * Entra ID writes paths as their names. It also begins `op` with a capital letter.
 */
export function readPatch(body: unknown): readonly PatchOperation[] {
  const operations = isObject(body) ? attributeOf(body, 'Operations') : undefined;
  if (!Array.isArray(operations)) throw refuseScim('invalidSyntax', 'Operations: a list expected');
  const read = (operations as unknown[]).flatMap(readOperation);
  if (read.length > MAX_OPERATIONS)
    throw refuseScim('invalidValue', `Operations: at most ${MAX_OPERATIONS} changes expected`);
  return read;
}

function readOperation(operation: unknown): PatchOperation[] {
  if (!isObject(operation)) throw refuseScim('invalidSyntax', 'Operations: objects expected');
  const name = attributeOf(operation, 'op');
  const op = OPS.find((one) => typeof name === 'string' && isSameName(one, name));
  if (op === undefined) throw refuseScim('invalidSyntax', 'op: add, replace or remove expected');
  const path = attributeOf(operation, 'path') ?? '';
  const value = attributeOf(operation, 'value');
  if (typeof path !== 'string') throw refuseScim('invalidPath', 'path: a text expected');
  if (path.trim() !== '') return [{ op, path: readPath(path), value }];
  if (op === 'remove') throw refuseScim('noTarget', 'path: the attribute to remove expected');
  if (!isObject(value)) throw refuseScim('invalidValue', 'value: an object expected where there is no path');
  return Object.entries(value).map(([key, one]) => ({ op, path: readPath(key), value: one }));
}

function readPath(text: string): AttributePath {
  const path = withoutSchema(text.trim());
  if (/^urn:/i.test(path)) return { attribute: path.toLowerCase(), filter: [], sub: undefined };
  const [, attribute, filter, sub] = PATH.exec(path) ?? [];
  if (attribute === undefined)
    throw refuseScim('invalidPath', `path: no attribute is at ${JSON.stringify(text)}`);
  return {
    attribute: attribute.toLowerCase(),
    filter: filter === undefined ? [] : readFilter(filter),
    sub: sub?.toLowerCase(),
  };
}

type Document = Record<string, unknown>;

/** The names of the attributes that are objects or lists of objects, with those inside. */
const USER_ATTRIBUTES: Readonly<
  Record<
    string,
    { readonly name: string; readonly subs?: Readonly<Record<string, string>>; readonly isList?: true }
  >
> = {
  username: { name: 'userName' },
  externalid: { name: 'externalId' },
  displayname: { name: 'displayName' },
  active: { name: 'active' },
  name: { name: 'name', subs: { givenname: 'givenName', familyname: 'familyName' } },
  emails: { name: 'emails', subs: { value: 'value', type: 'type', primary: 'primary' }, isList: true },
};

/** Attributes that only the hub sets. Some providers send them back as they are, which changes nothing. */
const READ_ONLY = ['id', 'meta', 'schemas', 'groups'];

/**
 * Applies the changes to the document of a user, which `readUser` then checks. Attributes that the hub does not keep change
 * nothing, so that a provider that sends more than it is asked for works.
 */
export function patchUser(document: Document, operations: readonly PatchOperation[]): Document {
  return operations.reduce(applyToUser, document);
}

function applyToUser(document: Document, { op, path, value }: PatchOperation): Document {
  const known = Object.hasOwn(USER_ATTRIBUTES, path.attribute) ? USER_ATTRIBUTES[path.attribute] : undefined;
  if (known === undefined) {
    if (READ_ONLY.includes(path.attribute) && op === 'remove')
      throw refuseScim('mutability', `${path.attribute}: it is read-only`);
    return document;
  }
  const { name, subs, isList } = known;
  if (name === 'active' && op === 'remove')
    throw refuseScim('invalidValue', 'active: true or false expected');
  if (path.sub !== undefined && subs?.[path.sub] === undefined) return document;
  if (path.filter.length > 0 && !isList)
    throw refuseScim('invalidPath', `${name}: it is no list, and has no filter`);
  const sub = path.sub === undefined ? undefined : subs?.[path.sub];
  const changed = isList
    ? changedList(document[name], { op, filter: path.filter, sub, value })
    : sub === undefined
      ? changedWhole(document[name], op, value)
      : { ...(isObject(document[name]) ? document[name] : {}), [sub]: op === 'remove' ? undefined : value };
  return { ...document, [name]: changed };
}

function changedWhole(before: unknown, op: PatchOperation['op'], value: unknown): unknown {
  if (op === 'remove') return undefined;
  return isObject(before) && isObject(value) ? { ...before, ...value } : value;
}

interface ListChange {
  readonly op: PatchOperation['op'];
  readonly filter: readonly FilterComparison[];
  readonly sub: string | undefined;
  readonly value: unknown;
}

/** A filter that finds nothing makes a new item with what it compares, as the providers expect. */
function changedList(before: unknown, { op, filter, sub, value }: ListChange): unknown {
  const items = listOf(before);
  const isMeant = (item: unknown) => isObject(item) && matches(item, filter);
  if (filter.length === 0 && sub === undefined) {
    if (op === 'remove') return undefined;
    return op === 'replace' ? listOf(value) : [...items, ...listOf(value)];
  }
  if (op === 'remove' && sub === undefined) return items.filter((item) => !isMeant(item));
  const given = sub === undefined ? value : { [sub]: op === 'remove' ? undefined : value };
  if (!isObject(given)) throw refuseScim('invalidValue', 'value: an object expected');
  if (items.some(isMeant))
    return items.map((item) => (isMeant(item) ? { ...(item as object), ...given } : item));
  if (op === 'remove') return items;
  const compared = Object.fromEntries(filter.map(({ attribute, value: wanted }) => [attribute, wanted]));
  return [...items, { ...compared, ...given }];
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

function matches(item: object, filter: readonly FilterComparison[]): boolean {
  return filter.every(({ attribute, value }) => {
    const own = attributeOf(item, attribute);
    if (typeof own === 'string' && typeof value === 'string') return isSameName(own, value);
    return (own ?? false) === value;
  });
}
