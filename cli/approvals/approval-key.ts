import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type ApprovalStatement,
  type SignedApproval,
  statementText,
} from '@svc/core/approval/signed-approval';
import { Failure } from '../failure.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const TIP = 'svc approvals key creates one; add its public part to approver_keys in svc.yaml';

/** An Ed25519 key of one approver, in a file for its owner alone (XDG Base Directory Specification). */
export class ApprovalKey {
  readonly #key: KeyObject;

  private constructor(key: KeyObject) {
    this.#key = key;
  }

  static pathIn({ XDG_CONFIG_HOME, HOME }: Environment): string {
    return join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'svc', 'approval-key.pem');
  }

  /** The key of this user. Throws a `Failure` if there is none. */
  static read(environment: Environment): ApprovalKey {
    const path = ApprovalKey.pathIn(environment);
    const key = readKey(path);
    if (key === undefined) throw new Failure(`no approval key in ${path}`, { tip: TIP });
    return new ApprovalKey(key);
  }

  /** The key of this user, created if there is none. */
  static readOrMake(environment: Environment): ApprovalKey {
    const path = ApprovalKey.pathIn(environment);
    return new ApprovalKey(readKey(path) ?? makeKey(path));
  }

  /** As `approver_keys` has it. */
  get publicKey(): string {
    const { x } = createPublicKey(this.#key).export({ format: 'jwk' });
    return `ed25519:${x}`;
  }

  sign(statement: ApprovalStatement): SignedApproval {
    const { agent, requestedBy: requested_by, validUntilMs: valid_until_ms } = statement;
    const signature = sign(null, Buffer.from(statementText(statement)), this.#key).toString('base64url');
    return { key: this.publicKey, signature, agent, requested_by, valid_until_ms };
  }
}

function readKey(path: string): KeyObject | undefined {
  const text = textOf(path);
  if (text === undefined) return undefined;
  const key = keyIn(text);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new Failure(`${path} holds no Ed25519 key`, { tip: 'move the file, then run svc approvals key' });
}

function keyIn(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Never overwrites a key: `wx` fails if another process was faster. */
function makeKey(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
  return privateKey;
}

/** `svc approvals key`: prints the public key of this user, and creates the key if there is none. */
export function showApprovalKey({ json }: { readonly json?: true }): void {
  const { publicKey } = ApprovalKey.readOrMake(process.env);
  process.stdout.write(`${json ? JSON.stringify({ public_key: publicKey }) : publicKey}\n`);
}
