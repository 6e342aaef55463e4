import { shownAddress } from '@svc/core/text/shown-address';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

export function Invites() {
  const query = useInfiniteQuery(readPages('listInvites'));
  return (
    <QueryList
      query={query}
      what="invitations"
      idOf={({ id }) => id}
      row={(invite) => <InviteRow invite={invite} />}
      empty={<p className="text-soft">No pending invitations</p>}
    />
  );
}

function InviteRow({
  invite: { id, email, role, status, expires_at },
}: {
  readonly invite: Item<'listInvites'>;
}) {
  const changes = ['listInvites', 'showUsage'] as const;
  const resend = useAction('resendInvite', {
    changes,
    doneMessage: () => `Invitation resent to ${shownAddress(email)}; the previous link no longer works`,
  });
  const withdraw = useAction('withdrawInvite', {
    changes,
    doneMessage: () => `Invitation to ${shownAddress(email)} withdrawn`,
  });
  const isExpired = status === 'expired';
  return (
    <Row
      title={<Visible text={shownAddress(email)} />}
      facts={[
        role,
        <span key="end" className={isExpired ? 'text-bad' : undefined}>
          {isExpired ? 'expired' : 'expires'} <Time at={expires_at} />
        </span>,
      ]}
      actions={
        <>
          <Button
            kind="plain"
            isPending={resend.isPending}
            onClick={() => resend.mutate({ parameters: { id } })}
            aria-label={`Resend invitation to ${shownAddress(email)}`}
          >
            Resend
          </Button>
          <Button
            kind="plain"
            className="text-bad"
            isPending={withdraw.isPending}
            onClick={() => withdraw.mutate({ parameters: { id } })}
            aria-label={`Withdraw invitation to ${shownAddress(email)}`}
          >
            Withdraw
          </Button>
        </>
      }
    />
  );
}
