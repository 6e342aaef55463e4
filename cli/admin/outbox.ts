import type { Admin } from '@svc/hub/admin/admin';
import { writeRows } from '../terminal.ts';
import { withAdmin } from './open.ts';
import type { AdminOptions } from './options.ts';
import { printable, printResult } from './print.ts';

type Mail = Awaited<ReturnType<Admin['mail']>>;

/** `svc admin outbox`: lists the unsent mails. */
export async function listOutbox(options: AdminOptions): Promise<void> {
  const mails = await withAdmin((admin) => admin.waitingMails());
  for (const mail of mails) printResult(options, summaryOf(mail), [rowOf(mail)]);
  if (mails.length === 0 && !options.json) process.stdout.write('no unsent mails\n');
}

/** `svc admin outbox show`: prints one mail as its reader gets it. */
export async function showMail(id: string, options: AdminOptions): Promise<void> {
  const mail = await withAdmin((admin) => admin.mail(id));
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ ...summaryOf(mail), text: mail.text, html: mail.html })}\n`);
    return;
  }
  const { to, subject, created_at: time } = summaryOf(mail);
  writeRows(process.stdout, [
    { label: 'to', text: printable(to) },
    { label: 'subject', text: printable(subject) },
    { label: 'time', text: time },
  ]);
  const lines = mail.text.split('\n').map(printable);
  process.stdout.write(`\n${lines.join('\n')}\n`);
}

function summaryOf({ id, to, subject, createdAtMs }: Mail) {
  return { id, to, subject, created_at: new Date(createdAtMs).toISOString() };
}

function rowOf(mail: Mail) {
  const { id, created_at: time, to, subject } = summaryOf(mail);
  return { label: id, text: `${time}  ${printable(to)}  ${printable(subject)}` };
}
