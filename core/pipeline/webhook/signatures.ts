/** What a sender says proves that a body is its own: to be checked with the secret of the trigger (decision 43). */
export type Signature = GitHubSignature | StandardSignature;

/** `X-Hub-Signature-256`: HMAC-SHA256 of the body. */
export interface GitHubSignature {
  readonly kind: 'github';
  /** 64 hexadecimal digits, in lower case. */
  readonly hex: string;
}

/** Standard Webhooks: HMAC-SHA256 of id, time and body; several while a secret is replaced by another. */
export interface StandardSignature {
  readonly kind: 'standard';
  readonly id: string;
  /** As it was sent: it is part of what is signed. */
  readonly timestamp: string;
  /** Base64. */
  readonly signatures: readonly string[];
}

interface Headers {
  get(name: string): string | null;
}

const GITHUB = /^sha256=([0-9a-f]{64})$/i;
const TIMESTAMP = /^\d{1,12}$/;
const VERSION = 'v1,';
/** More than anybody sends while one secret replaces another, and a bound to the work of checking them. */
const MOST_SIGNATURES = 10;

/** Headers that senders of webhooks set, and people do not: such a call is answered at once (decision 43). */
export const WEBHOOK_HEADERS = [
  'x-hub-signature-256',
  'x-github-delivery',
  'webhook-id',
  'webhook-signature',
] as const;

/** Whether the request comes from a sender of webhooks, who gives up within seconds. */
export function isFromSender(headers: Headers): boolean {
  return WEBHOOK_HEADERS.some((name) => headers.get(name) !== null);
}

/** Whether somebody says that the body is signed; then it must be. */
export function hasSignature(headers: Headers): boolean {
  return headers.get('x-hub-signature-256') !== null || headers.get('webhook-signature') !== null;
}

/** The signatures of a request that are of the right shape: one that is not proves nothing. */
export function readSignatures(headers: Headers): Signature[] {
  return [readGitHub(headers), readStandard(headers)].filter((found) => found !== undefined);
}

function readGitHub(headers: Headers): GitHubSignature | undefined {
  const [, hex] = GITHUB.exec(headers.get('x-hub-signature-256') ?? '') ?? [];
  return hex === undefined ? undefined : { kind: 'github', hex: hex.toLowerCase() };
}

function readStandard(headers: Headers): StandardSignature | undefined {
  const id = headers.get('webhook-id') ?? '';
  const timestamp = headers.get('webhook-timestamp') ?? '';
  if (id === '' || !TIMESTAMP.test(timestamp)) return undefined;
  const signatures = (headers.get('webhook-signature') ?? '')
    .split(' ', MOST_SIGNATURES)
    .filter((one) => one.startsWith(VERSION))
    .map((one) => one.slice(VERSION.length));
  return signatures.length === 0 ? undefined : { kind: 'standard', id, timestamp, signatures };
}

/** Standard Webhooks asks for a bound to how old, or how new, a signed call may be. */
const TOLERANCE_SEC = 300;

/** Whether it was signed about now; older ones may be replayed by whoever has seen them. */
export function isTimely({ timestamp }: Pick<StandardSignature, 'timestamp'>, nowMs: number): boolean {
  return Math.abs(nowMs / 1000 - Number(timestamp)) <= TOLERANCE_SEC;
}

/**
 * What a call of a webhook counts by, so that it starts one run however often it is sent (decision 23).
 *
 * The id of a delivery is no part of what GitHub signs, so its signature counts too: who replays a call under another id gets
 * the run of the first. Standard Webhooks signs the id.
 */
export function deliveryKeys(headers: Headers, valid: Signature | undefined): string[] {
  const delivery = headers.get('x-github-delivery');
  const id = headers.get('webhook-id');
  return [
    ...(delivery === null ? [] : [`x-github-delivery:${delivery}`]),
    ...(id === null ? [] : [`webhook-id:${id}`]),
    ...(valid?.kind === 'github' ? [`sha256:${valid.hex}`] : []),
  ];
}
