import { useInfiniteQuery } from '@tanstack/react-query';
import { useAccount } from '../account/account.ts';
import { readPages } from '../api/read.ts';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page } from '../design/Page.tsx';
import { MailRow } from './MailRow.tsx';

/** No live event reports mails, so the list is polled. */
const READ_EVERY_MS = 10_000;

/** The mails of the hub, for operators: without a mail server they pass on the links (decision 54, outbox). */
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
