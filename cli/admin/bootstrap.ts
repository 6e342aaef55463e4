import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import type { FactRow } from '../terminal.ts';
import { withAdmin } from './open.ts';
import type { BootstrapOptions } from './options.ts';
import { printable, printResult } from './print.ts';

/** The files, by the fields of `--json`. The sign-in link acts for the account, so it is written where the tokens are. */
const FILES = {
  sign_in_url: 'sign-in-link',
  access_token: 'access-token',
  agent_token: 'agent-token',
  api_key: 'api-key',
} as const;
const LABELS = {
  sign_in_url: 'sign in',
  access_token: 'access token',
  agent_token: 'agent token',
  api_key: 'API key',
} as const;

type Tokens = Readonly<Record<keyof typeof FILES, string>>;

/** `svc admin bootstrap`: an account with its username, its first tokens and a sign-in link. */
export async function bootstrap(email: string, options: BootstrapOptions): Promise<void> {
  const { username, hubUrl, writeTo } = options;
  if (writeTo !== undefined) refuseExisting(writeTo);
  const { made, signInUrl } = await withAdmin(
    async (admin) => ({
      made: await admin.bootstrap({ email, username }),
      signInUrl: await admin.signInLink(email),
    }),
    hubUrl,
  );
  const tokens = {
    sign_in_url: signInUrl,
    access_token: made.accessToken,
    agent_token: made.agentToken,
    api_key: made.apiKey,
  };
  const shown = writeTo === undefined ? tokens : writeFiles(writeTo, tokens);
  printResult(options, { email, username, ...shown }, [
    { label: 'account', text: `${printable(email)}, username ${username}` },
    ...rowsOf(shown),
  ]);
}

function rowsOf(tokens: Tokens): FactRow[] {
  return (Object.keys(FILES) as (keyof Tokens)[]).map((field) => ({
    label: LABELS[field],
    text: tokens[field],
  }));
}

function pathsIn(folder: string): [keyof Tokens, string][] {
  return (Object.keys(FILES) as (keyof Tokens)[]).map((field) => [field, join(folder, FILES[field])]);
}

/** Before any token is made: a token that cannot be written is lost. */
function refuseExisting(folder: string): void {
  if (!existsSync(folder)) throw new Failure(`there is no folder ${folder}`);
  const existing = pathsIn(folder).find(([, path]) => existsSync(path));
  if (existing !== undefined) throw new Failure(`${existing[1]} already exists`);
}

/** Writes each token into a file that only its owner can read. Returns the paths. */
function writeFiles(folder: string, tokens: Tokens): Tokens {
  const paths = pathsIn(folder);
  for (const [field, path] of paths) writeFileSync(path, `${tokens[field]}\n`, { mode: 0o600, flag: 'wx' });
  return Object.fromEntries(paths) as Tokens;
}
