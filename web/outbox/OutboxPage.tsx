import { useInfiniteQuery } from '@tanstack/react-query';
import { useAccount } from '../account/account.ts';
import { readPages } from '../api/read.ts';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page } from '../design/Page.tsx';
import { MailRow } from './MailRow.tsx';

/** Mails are no news of a workspace: they are read again by the clock. */
const READ_EVERY_MS = 10_000;

/** What the hub wrote to people, for operators: without a mail server they pass on the links (decision 54). */
export function OutboxPage() {
  const { operator } = useAccount();
  return (
    <Page title="Outbox" about="The newest 100 mails of this hub. Without a mail server they wait here.">
      {operator ? (
        <Mails />
      ) : (
        <Locked what="Mails of this hub" reason="Only operators, whom SVC_OPERATORS names, may read them." />
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
      what="mails"
      idOf={({ id }) => id}
      row={(mail) => <MailRow mail={mail} />}
      empty={
        <Empty title="The hub has written no mail yet">
          <p>Sign-in links, invitations, approvals and alerts appear here as soon as they are written.</p>
        </Empty>
      }
    />
  );
}
