/** A sender's proof that it sent a body, to be checked with the secret of the trigger (decision 43, calling a pipeline). */
export type Signature = GitHubSignature | StandardSignature;

/** `X-Hub-Signature-256`: HMAC-SHA256 of the body. */
export interface GitHubSignature {
  readonly kind: 'github';
  /** 64 hexadecimal digits, in lower case. */
  readonly hex: string;
}

/** Standard Webhooks: HMAC-SHA256 of id, time and body. There are several signatures while one secret replaces another. */
export interface StandardSignature {
  readonly kind: 'standard';
  readonly id: string;
  /** The text as sent, because it is part of the signed content. */
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
/** The most signatures that are checked. Senders need fewer while one secret replaces another. */
const MAX_SIGNATURES = 10;

/**
 * Headers that senders of webhooks set and people do not. Such a call is answered at once (decision 43, calling a
 * pipeline).
 */
export const WEBHOOK_HEADERS = [
  'x-hub-signature-256',
  'x-github-delivery',
  'webhook-id',
  'webhook-signature',
] as const;

/** Whether the request comes from a sender of webhooks, which waits only a few seconds. */
export function isFromSender(headers: Headers): boolean {
  return WEBHOOK_HEADERS.some((name) => headers.get(name) !== null);
}

/** Whether the request claims to be signed. The signature is then required to be valid. */
export function hasSignature(headers: Headers): boolean {
  return headers.get('x-hub-signature-256') !== null || headers.get('webhook-signature') !== null;
}

/** The well-formed signatures of a request. A malformed one proves nothing. */
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
    .split(' ', MAX_SIGNATURES)
    .filter((one) => one.startsWith(VERSION))
    .map((one) => one.slice(VERSION.length));
  return signatures.length === 0 ? undefined : { kind: 'standard', id, timestamp, signatures };
}

/** Standard Webhooks requires a limit for the age of a signature, in both directions. */
const TOLERANCE_SEC = 300;

/** Whether the call was signed about now. An older one may be a replay. */
export function isTimely({ timestamp }: Pick<StandardSignature, 'timestamp'>, nowMs: number): boolean {
  return Math.abs(nowMs / 1000 - Number(timestamp)) <= TOLERANCE_SEC;
}

/**
 * The key that identifies a call of a webhook, so that repetitions start only one run (decision 23, idempotency).
 *
 * GitHub does not sign the id of a delivery, so the key includes the signature: a replay with another id gets the first
 * run. Standard Webhooks signs the id.
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
