import type { Item } from '../api/read.ts';
import { Disclosure } from '../design/Disclosure.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { CodeBlock, Visible } from '../design/text/Code.tsx';
import { CopyButton } from '../design/text/CopyButton.tsx';
import { Time } from '../design/time/Time.tsx';
import { linkIn } from './link-in.ts';

export function MailRow({ mail }: { readonly mail: Item<'showOutbox'> }) {
  const { to, subject, text, created_at, sent_at } = mail;
  const link = linkIn(text);
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1 py-1.5">
      <div className="min-w-0 grow basis-72">
        <Disclosure
          summary={
            <span className="flex min-w-0 flex-wrap items-baseline gap-x-4">
              <strong className="font-semibold wrap-anywhere">
                <Visible text={subject} />
              </strong>
              <span className="text-sm text-soft wrap-anywhere">
                to <Visible text={to} />
              </span>
            </span>
          }
        >
          <CodeBlock text={text} copyLabel={`Copy email to ${to}`} />
        </Disclosure>
      </div>
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-1 text-sm text-soft">
        {sent_at === null ? <StateMark state="waiting" /> : <span>Sent</span>}
        <Time at={sent_at ?? created_at} />
        {link !== undefined && <CopyButton text={link} label="Copy link" />}
      </div>
    </div>
  );
}
