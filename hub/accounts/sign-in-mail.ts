import { layOut } from '@svc/core/mail/letter';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';

export function signInMail(id: string, to: string, url: string, createdAtMs: number): OutgoingMail {
  const letter = layOut({
    subject: 'Sign in to svc',
    paragraphs: [`Somebody, most likely you, wants to sign in to svc as ${to}.`],
    action: { label: 'Sign in', url },
    notes: [
      'The link works once and for 15 minutes.',
      'If you did not ask for it, you can ignore this mail.',
    ],
  });
  return { id, to, ...letter, createdAtMs };
}
