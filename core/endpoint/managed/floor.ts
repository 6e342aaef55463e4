import { EFFECTS, type Endpoint } from '../definition.ts';

/** How one field of a file limits the API (decision 60, the file is a floor). */
interface FloorRule<Value> {
  /** Whether `next` allows nothing beyond `file`. */
  readonly isTighter: (file: Value, next: Value) => boolean;
  /** The value that allows only what both allow. */
  readonly strictest: (file: Value, next: Value) => Value;
  /** The values that a change may set, for people. */
  readonly accepts: (file: Value) => string;
}

/** The fields of a file that the API can only tighten, by their wire names. */
export const FLOOR_FIELDS = [
  'approval_required',
  'approval',
  'approvers',
  'allow_self',
  'public',
  'max_concurrent',
  'timeout',
  'mcp',
  'effects',
  'idempotent',
] as const;
export type FloorField = (typeof FLOOR_FIELDS)[number];

type Approvers = readonly string[] | undefined;

/** A flag that restricts when it is set. */
const SET: FloorRule<boolean> = {
  isTighter: (file, next) => next || !file,
  strictest: (file, next) => file || next,
  accepts: () => 'true',
};

/** A flag that restricts when it is clear. */
const CLEAR: FloorRule<boolean> = {
  isTighter: (file, next) => file || !next,
  strictest: (file, next) => file && next,
  accepts: () => 'false',
};

/** The same for a flag that a file clears only by saying so. */
const CLEAR_BY_DEFAULT: FloorRule<boolean | undefined> = {
  isTighter: (file = true, next = true) => CLEAR.isTighter(file, next),
  strictest: (file, next) => (file === false ? false : next),
  accepts: () => 'false',
};

const NOT_HIGHER: FloorRule<number | undefined> = {
  isTighter: (file = Infinity, next = Infinity) => next <= file,
  strictest: (file, next) => lower(file, next),
  accepts: (file) => `a number from 1 to ${file}`,
};

const APPROVERS: FloorRule<Approvers> = {
  isTighter: (file, next) => file === undefined || next?.every((one) => includes(file, one)) === true,
  strictest: (file, next) =>
    file === undefined || next === undefined ? (next ?? file) : next.filter((one) => includes(file, one)),
  accepts: (file = []) => `some of ${file.join(', ')}`,
};

const CONFIRMATION: FloorRule<Endpoint['approval']> = {
  isTighter: (file, next) => file === undefined || next === file,
  strictest: (file, next) => file ?? next,
  accepts: (file) => `${file}`,
};

/** AI agents that may only read call what says `read`, so a milder word than that of the file allows more. */
const NOT_MILDER: FloorRule<Endpoint['effects']> = {
  isTighter: isNotMilder,
  strictest: (file, next) => (isNotMilder(file, next) ? next : file),
  accepts: (file) => EFFECTS.filter((one) => isNotMilder(file, one)).join(' or '),
};

const RULES = {
  approval_required: on('approvalRequired', SET),
  approval: on('approval', CONFIRMATION),
  approvers: on('approvers', APPROVERS),
  allow_self: on('allowSelf', CLEAR),
  public: on('public', CLEAR),
  max_concurrent: on('maxConcurrent', NOT_HIGHER),
  timeout: on('timeoutSec', NOT_HIGHER as FloorRule<number>),
  mcp: on('mcp', CLEAR_BY_DEFAULT),
  effects: on('effects', NOT_MILDER),
  idempotent: on('idempotent', CLEAR_BY_DEFAULT),
} satisfies Record<FloorField, unknown>;

/** A field that is looser than in its file. */
export interface Loosened {
  readonly field: FloorField;
  /** The value of the file as JSON; `none` if the file sets no limit. */
  readonly file: string;
  readonly accepted: string;
}

/** The fields in which `next` allows more than the endpoint of the file. */
export function loosenedFields(file: Endpoint, next: Endpoint): Loosened[] {
  return FLOOR_FIELDS.flatMap((field) => RULES[field].loosened(field, file, next) ?? []);
}

/**
 * The endpoint with the stricter value of each field. An approver must be in both lists, so lists without a common entry
 * leave no approver.
 */
export function withFloor(file: Endpoint, next: Endpoint): Endpoint {
  return FLOOR_FIELDS.reduce((merged, field) => RULES[field].merge(file, merged), next);
}

function on<Key extends keyof Endpoint>(key: Key, rule: FloorRule<Endpoint[Key]>) {
  return {
    loosened: (field: FloorField, file: Endpoint, next: Endpoint): Loosened | undefined =>
      rule.isTighter(file[key], next[key])
        ? undefined
        : { field, file: JSON.stringify(file[key]) ?? 'none', accepted: rule.accepts(file[key]) },
    merge: (file: Endpoint, next: Endpoint): Endpoint => {
      const value = rule.strictest(file[key], next[key]);
      return value === undefined ? next : { ...next, [key]: value };
    },
  };
}

function lower(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** A file that does not say its effects leaves them to the workspace. */
function isNotMilder(file: Endpoint['effects'], next: Endpoint['effects']): boolean {
  return file === undefined || (next !== undefined && EFFECTS.indexOf(next) >= EFFECTS.indexOf(file));
}

/** E-mail addresses are compared without regard to case, as in the check of approvers. */
function includes(approvers: readonly string[], one: string): boolean {
  return approvers.some((approver) => approver.toLowerCase() === one.toLowerCase());
}
