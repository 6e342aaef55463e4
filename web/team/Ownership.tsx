import { shownAddress } from '@svc/core/text/shown-address';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../account/account.ts';
import { type Answer, read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { PickField } from '../design/form/PickField.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Section } from '../design/Page.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { useGrantees } from '../grant/use-grantees.ts';

type Offer = NonNullable<Answer<'showOwnership'>['offer']>;

/** The transfer of the ownership: offered by the owner, accepted by the member (decision 95, one owner). */
export function Ownership() {
  const { role, email } = useAccount();
  const { data } = useQuery(read('showOwnership'));
  if (data === undefined) return null;
  const { offer } = data;
  const isTaker = offer?.member.email === email;
  if (role !== 'owner' && !isTaker) return null;
  return (
    <Section title="Ownership">
      {offer === null ? <NewOffer /> : <OpenOffer offer={offer} isTaker={isTaker} />}
    </Section>
  );
}

function NewOffer() {
  const members = useGrantees().filter(({ kind }) => kind === 'member');
  const [name, setName] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const found = members.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  const offer = useAction('offerOwnership', {
    changes: ['showOwnership'],
    isProblemShown: true,
    doneMessage: () => `Ownership offered to ${shownAddress(name)}`,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (found !== undefined) offer.mutate({ body: { member: found.id } });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2" noValidate>
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-72 max-w-full">
          <PickField
            label="Offer the ownership to"
            value={name}
            onChange={setName}
            names={members.map((one) => one.name)}
            problem={isChecked && found === undefined ? 'Choose a member of the team.' : undefined}
          />
        </div>
        <Button type="submit" isPending={offer.isPending}>
          Offer ownership
        </Button>
      </div>
      {offer.error && <Problem error={offer.error} />}
      <p className="max-w-prose text-soft">
        The member accepts here. Then they are the owner, and you are an admin.
      </p>
    </form>
  );
}

interface OpenOfferProps {
  readonly offer: Offer;
  /** The person may accept; else they made the offer. */
  readonly isTaker: boolean;
}

function OpenOffer({ offer: { member, expires_at }, isTaker }: OpenOfferProps) {
  const [isAccepting, setIsAccepting] = useState(false);
  const end = useAction('endOwnershipOffer', {
    changes: ['showOwnership'],
    doneMessage: () => (isTaker ? 'Offer declined' : 'Offer withdrawn'),
  });
  const accept = useAction('acceptOwnership', { onDone: () => location.assign('/login') });
  return (
    <>
      <Row
        title={
          isTaker ? (
            'You are offered the ownership'
          ) : (
            <Visible text={`Offered to ${shownAddress(member.email)}`} />
          )
        }
        facts={[
          <>
            until <Time at={expires_at} />
          </>,
        ]}
        actions={
          <>
            {isTaker && (
              <Button kind="plain" onClick={() => setIsAccepting(true)}>
                Accept
              </Button>
            )}
            <Button
              kind="plain"
              className="text-bad"
              isPending={end.isPending}
              onClick={() => end.mutate(undefined)}
            >
              {isTaker ? 'Decline' : 'Withdraw offer'}
            </Button>
          </>
        }
      />
      <Confirm
        isOpen={isAccepting}
        onClose={() => setIsAccepting(false)}
        title="Become the owner of this workspace?"
        action="Become owner"
        isPending={accept.isPending}
        onConfirm={() => accept.mutate(undefined)}
      >
        <p>You manage its plan and can delete it. The owner becomes an admin. Both of you sign in again.</p>
      </Confirm>
    </>
  );
}
