import { useInfiniteQuery } from '@tanstack/react-query';
import { useAccount } from '../account/account.ts';
import { type Item, readPages } from '../api/read.ts';
import { Disclosure } from '../design/Disclosure.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page } from '../design/Page.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { CodeBlock, Visible } from '../design/text/Code.tsx';
import { CopyButton } from '../design/text/CopyButton.tsx';
import { Time } from '../design/time/Time.tsx';
import { linkIn } from './link-in.ts';

/** No live event reports mails, so the list is polled. */
const READ_EVERY_MS = 10_000;

/**
 * The mails of the hub, for operators: without a mail server they pass on the links (decision 54, configuration of a hub).
 */
export function OutboxPage() {
  const { operator } = useAccount();
  return (
    <Page
      title="Outbox"
      about="The latest 100 emails of this hub. Without a mail server, pass on their links yourself."
    >
      {operator ? (
        <Mails />
      ) : (
        <Locked title="You can't view the outbox" reason="Only operators (SVC_OPERATORS) can read it." />
      )}
    </Page>
  );
}

function Mails() {
  const query = useInfiniteQuery({
    ...readPages('showOutbox'),
    staleTime: 0,
    refetchInterval: READ_EVERY_MS,
  });
  return (
    <QueryList
      query={query}
      what="emails"
      idOf={({ id }) => id}
      row={(mail) => <MailRow mail={mail} />}
      empty={
        <Empty title="No emails yet">
          <p>Sign-in links, invitations, approval requests and alerts appear here.</p>
        </Empty>
      }
    />
  );
}

function MailRow({ mail }: { readonly mail: Item<'showOutbox'> }) {
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
