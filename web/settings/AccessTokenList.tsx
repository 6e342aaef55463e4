import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { DraftNotice } from '../design/form/DraftNotice.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { useKeptDraft } from '../design/form/use-kept-draft.ts';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { ShownOnce } from '../design/overlay/ShownOnce.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

/** Tokens with which programs use the management API as the person who created them. */
export function AccessTokenList() {
  const query = useInfiniteQuery(readPages('listPersonalTokens'));
  const kept = useKeptDraft('access-token', { name: '' }, { isShort: true });
  const { name } = kept.draft;
  const [created, setCreated] = useState<string>();
  const create = useAction('makePersonalToken', {
    changes: ['listPersonalTokens'],
    onDone: ({ access_token }) => {
      kept.discard();
      setCreated(access_token);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ body: name.trim() === '' ? {} : { name: name.trim() } });
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <DraftNotice kept={kept} />
        <div className="w-72 max-w-full">
          <TextField
            label="Name"
            value={name}
            onChange={(next) => kept.change({ name: next })}
            hint="For example: backup script. Expires in 30 days."
          />
        </div>
        <Button type="submit" isPending={create.isPending} className="sm:mb-[22px]">
          Create access token
        </Button>
      </form>
      <QueryList
        query={query}
        what="access tokens"
        idOf={({ id }) => id}
        row={(token) => <TokenRow token={token} />}
        empty={<p className="text-soft">No access tokens yet. Programs use one to manage the workspace.</p>}
      />
      <ShownOnce token={created} what="access token" onClose={() => setCreated(undefined)}>
        <p>
          Send the token as <code>Authorization: Bearer</code>. The token has your role in this workspace.
        </p>
      </ShownOnce>
    </>
  );
}

function TokenRow({ token }: { readonly token: Item<'listPersonalTokens'> }) {
  const { id, name, last4, workspace, last_used_at, expires_at } = token;
  const revoke = useAction('revokePersonalToken', {
    changes: ['listPersonalTokens'],
    doneMessage: () => `Access token …${last4} revoked`,
  });
  return (
    <Row
      title={<Visible text={name ?? 'Unnamed'} />}
      facts={[
        <code key="last4">svc_pat_…{last4}</code>,
        workspace !== null && `for ${workspace}`,
        last_used_at === null ? (
          'never used'
        ) : (
          <>
            used <Time at={last_used_at} />
          </>
        ),
        <>
          expires <Time at={expires_at} />
        </>,
      ]}
      actions={
        <Button
          kind="plain"
          className="text-bad"
          isPending={revoke.isPending}
          onClick={() => revoke.mutate({ parameters: { id } })}
          aria-label={`Revoke access token ${name ?? `ending in ${last4}`}`}
        >
          Revoke
        </Button>
      }
    />
  );
}
