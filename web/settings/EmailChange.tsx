import { shownAddress } from '@svc/core/text/shown-address';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { type Answer, read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { DraftNotice } from '../design/form/DraftNotice.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { useKeptDraft } from '../design/form/use-kept-draft.ts';
import { Problem } from '../design/list/Problem.tsx';
import { Row } from '../design/list/Row.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

type Change = NonNullable<Answer<'showEmailChange'>['change']>;

/** The change of the person's address, which both addresses confirm (decision 101, change of address). */
export function EmailChange() {
  const { data, error } = useQuery(read('showEmailChange'));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return null;
  return data.change === null ? <NewChange /> : <PendingChange change={data.change} />;
}

function NewChange() {
  const kept = useKeptDraft('email-change', { email: '' }, { isShort: true });
  const { email } = kept.draft;
  const request = useAction('requestEmailChange', {
    changes: ['showEmailChange'],
    isProblemShown: true,
    doneMessage: () => 'Links sent to both addresses',
    onDone: kept.discard,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate({ body: { email: email.trim() } });
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <DraftNotice kept={kept} />
      <div className="w-72 max-w-full">
        <TextField
          label="New email address"
          value={email}
          onChange={(next) => kept.change({ email: next })}
          hint="Both addresses get a link, and both confirm."
        />
      </div>
      <Button
        type="submit"
        isPending={request.isPending}
        why={email.trim() === '' ? 'Enter the new address.' : undefined}
        className="sm:mb-[22px]"
      >
        Change email
      </Button>
      {request.error !== null && <Problem error={request.error} />}
    </form>
  );
}

function PendingChange({ change }: { readonly change: Change }) {
  const { new_email, expires_at, old_confirmed, new_confirmed } = change;
  const withdraw = useAction('withdrawEmailChange', {
    changes: ['showEmailChange'],
    doneMessage: () => 'Change of your address withdrawn',
  });
  return (
    <Row
      title={
        <>
          Your address will be <Visible text={shownAddress(new_email)} />
        </>
      }
      facts={[
        old_confirmed ? 'current address confirmed' : 'waits for the link to your current address',
        new_confirmed ? 'new address confirmed' : 'waits for the link to the new address',
        <>
          until <Time at={expires_at} />
        </>,
      ]}
      actions={
        <Button kind="plain" isPending={withdraw.isPending} onClick={() => withdraw.mutate(undefined)}>
          Withdraw
        </Button>
      }
    />
  );
}
