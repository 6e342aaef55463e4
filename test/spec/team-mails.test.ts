// Mails read well in text and in HTML, and carry only their text: decisions 34, 35 and 44.
import { expect, test } from 'bun:test';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type Mailbox, openMailbox, type ReceivedMail } from '../mailbox.ts';
import { type Person, personWith, sessionIn } from '../people.ts';

/** Values as an address may contain them: all of it is text. */
const OWNER = "o'brien&co@example.com";
const LIN = 'lin@example.com';

const links = (text: string | undefined) => text?.match(/https?:\/\/[^\s"<]+/g) ?? [];

async function signIn(world: HubWorld, mailbox: Mailbox, email: string): Promise<[Person, ReceivedMail]> {
  await fetch(`${world.hub.hubUrl}/auth/magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  const received = await mailbox.take(email);
  const [link = ''] = links(received.mail.text);
  return [personWith(world, email, sessionIn(await postForm(link))), received];
}

/** The rules for every mail, whatever its text. */
function expectReadable(world: HubWorld, { raw, mail }: ReceivedMail): void {
  expect(raw).toMatch(/^content-type: multipart\/alternative/im);
  const { text = '', html = '' } = mail;
  for (const line of text.split(/\r?\n/)) expect(line.length <= 72 || links(line).length === 1).toBe(true);
  expect(html).not.toMatch(/<(?:img|script|style|link|iframe|form|object)|url\(|src=/i);
  for (const link of [...links(text), ...links(html)]) expect(link).toStartWith(world.hub.hubUrl);
  // Both forms lead to the same place, or both to none.
  expect(new Set(links(html))).toEqual(new Set(links(text)));
  expect(html).not.toContain("o'brien&co");
}

test('sign-in, invitation, a new role and removal are reported by mail, in two forms, with values that are only text', async () => {
  await using mailbox = await openMailbox();
  await using world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off', SMTP_URL: mailbox.url } });
  const [owner, signInMail] = await signIn(world, mailbox, OWNER);
  expectReadable(world, signInMail);
  expect(signInMail.mail.subject).toBe('Sign in to svc');
  expect(signInMail.mail.html).toContain('o&#39;brien&amp;co@example.com');

  await owner.ask('POST', '/team/invite', { body: { email: LIN, role: 'member' } });
  const invitation = await mailbox.take(LIN);
  expectReadable(world, invitation);
  expect(invitation.mail.subject).toBe(`${OWNER} invites you to the workspace of ${OWNER} on svc`);
  const [join = ''] = links(invitation.mail.text);

  const [lin] = await signIn(world, mailbox, LIN);
  expect((await lin.ask('POST', join)).status).toBe(200);
  const { body } = await owner.ask('GET', '/team/members');
  const [{ id } = { id: '' }] = body.items as { id: string }[];
  await owner.ask('PATCH', `/team/members/${id}`, { body: { role: 'admin' } });
  const role = await mailbox.take(LIN);
  expectReadable(world, role);
  expect(role.mail.subject).toContain('You are an admin of');
  expect(role.mail.text?.replaceAll(/\s+/g, ' ')).toContain(`${OWNER} has changed your role`);

  await owner.ask('DELETE', `/team/members/${id}`);
  const removal = await mailbox.take(LIN);
  expectReadable(world, removal);
  expect(removal.mail.subject).toContain('You are no longer in the team of');
});
