import type { OutgoingMail } from '../ports/accounts.ts';

export function signInMail(id: string, to: string, url: string, createdAtMs: number): OutgoingMail {
  const text = [
    'Open this link to sign in to svc:',
    '',
    url,
    '',
    'It works once and for 15 minutes. If you did not ask for it, you can ignore this mail.',
  ].join('\n');
  const html = [
    '<p>Open this link to sign in to svc:</p>',
    `<p><a href="${url}">Sign in</a></p>`,
    '<p>It works once and for 15 minutes. If you did not ask for it, you can ignore this mail.</p>',
  ].join('\n');
  return { id, to, subject: 'Sign in to svc', text, html, createdAtMs };
}
