import { postForm } from './forms.ts';
import type { HubWorld } from './hub-world.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** An answer with its body read, as far as it is JSON; otherwise `text`. */
export interface ParsedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The fields of a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Somebody with a browser: asks as the pages of the hub would. */
export interface Person {
  readonly email: string;
  readonly cookie: string;
  /** In the workspace that is named, else in their own. */
  ask(method: string, path: string, options?: { body?: unknown; workspace?: string }): Promise<ParsedAnswer>;
}

interface OutboxMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The newest mail to an address, from the outbox of a hub without a mail server. */
export async function mailTo(world: HubWorld, email: string): Promise<OutboxMail> {
  const [mail] = await mailsTo(world, email);
  if (mail === undefined) throw new Error(`no mail to ${email}`);
  return mail;
}

/** The newest first. */
export async function mailsTo(world: HubWorld, email: string): Promise<readonly OutboxMail[]> {
  const { items } = (await (await world.manage('/outbox')).json()) as { items: OutboxMail[] };
  return items.filter(({ to }) => to.toLowerCase() === email.toLowerCase());
}

/** The newest link by which an address signs in or joins. Alerts and approvals may be in newer mails. */
export async function linkTo(world: HubWorld, email: string): Promise<string> {
  const links = (await mailsTo(world, email)).map(
    ({ text }) => /http\S+\/(?:login|join)\/\S+/.exec(text)?.[0],
  );
  const link = links.find((one) => one !== undefined);
  if (link === undefined) throw new Error(`no link in a mail to ${email}`);
  return link;
}

/** Signs up, or in, with a link in a mail. */
export async function signIn(world: HubWorld, email: string): Promise<Person> {
  await fetch(`${world.hub.hubUrl}/auth/magic-link`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ email }),
  });
  const response = await postForm(await linkTo(world, email));
  return personWith(world, email, sessionIn(response));
}

/** The cookie of the session that an answer brings. */
export function sessionIn(response: Response): string {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return cookies.find((cookie) => cookie.startsWith('svc_session=')) ?? '';
}

export function personWith(world: HubWorld, email: string, cookie: string): Person {
  return {
    email,
    cookie,
    async ask(method, path, { body, workspace } = {}) {
      const url = path.startsWith('http') ? path : `${world.hub.hubUrl}${path}`;
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        headers: {
          cookie,
          origin: world.hub.hubUrl,
          ...(body === undefined ? {} : JSON_TYPE),
          ...(workspace === undefined ? {} : { 'x-svc-workspace': workspace }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return readAnswer(response);
    },
  };
}

export async function readAnswer(response: Response): Promise<ParsedAnswer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body = isJson ? (JSON.parse(text) as ParsedAnswer['body']) : {};
  return { status: response.status, headers: response.headers, text, body };
}
