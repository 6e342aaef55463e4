import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { ShownOnce } from '../design/overlay/ShownOnce.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

/** What programs use the management API with, as the person who made it. */
export function AccessTokens() {
  const query = useInfiniteQuery(readPages('listPersonalTokens'));
  const [name, setName] = useState('');
  const [made, setMade] = useState<string>();
  const make = useAction('makePersonalToken', {
    changes: ['listPersonalTokens'],
    onDone: ({ access_token }) => {
      setName('');
      setMade(access_token);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate({ body: name.trim() === '' ? {} : { name: name.trim() } });
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <div className="w-72 max-w-full">
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            hint="Such as backup script. It works for 30 days."
          />
        </div>
        <Button type="submit" isPending={make.isPending} className="sm:mb-[22px]">
          Make an access token
        </Button>
      </form>
      <QueryList
        query={query}
        what="access tokens"
        idOf={({ id }) => id}
        row={(token) => <TokenRow token={token} />}
        empty={
          <p className="py-2 text-soft">
            None. Programs that manage the workspace send one as a bearer token.
          </p>
        }
      />
      <ShownOnce token={made} what="access token" onClose={() => setMade(undefined)}>
        <p>
          Programs send it as <code>Authorization: Bearer</code>. It has your role in this workspace.
        </p>
      </ShownOnce>
    </>
  );
}

function TokenRow({ token }: { readonly token: Item<'listPersonalTokens'> }) {
  const { id, name, last4, workspace, last_used_at, expires_at } = token;
  const revoke = useAction('revokePersonalToken', {
    changes: ['listPersonalTokens'],
    told: () => `The access token …${last4} is revoked`,
  });
  return (
    <Row
      title={<Visible text={name ?? 'without a name'} />}
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
          aria-label={`Revoke the access token ${name ?? `that ends in ${last4}`}`}
        >
          Revoke
        </Button>
      }
    />
  );
}
