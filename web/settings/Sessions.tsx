import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSignOut } from '../account/use-sign-out.ts';
import { type Answer, type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { browserWords } from './browser-words.ts';

export function Sessions() {
  const query = useInfiniteQuery({ ...readPages('listSessions'), select: thisBrowserFirst });
  return (
    <>
      <QueryList
        query={query}
        what="sessions"
        idOf={({ id }) => id}
        row={(session) => <SessionRow session={session} />}
        empty={<p className="text-soft">No active sessions.</p>}
      />
      <div className="flex flex-wrap gap-3">
        <EndOtherSessions />
        <SignOutEverywhere />
      </div>
    </>
  );
}

function thisBrowserFirst(data: InfiniteData<Answer<'listSessions'>, string>) {
  const all = data.pages.flatMap(({ items }) => items);
  const [first] = data.pages;
  if (first === undefined) return data;
  return {
    ...data,
    pages: [{ ...first, items: all.toSorted((a, b) => Number(b.current) - Number(a.current)) }],
  };
}

function SessionRow({ session }: { readonly session: Item<'listSessions'> }) {
  const { id, browser, address, created_at, last_used_at, current } = session;
  const end = useAction('endSession', {
    changes: ['listSessions'],
    doneMessage: () => 'Session ended',
  });
  return (
    <Row
      title={
        <span title={browser ?? undefined}>
          <Visible text={browserWords(browser)} />
        </span>
      }
      facts={[
        current ? 'this browser' : null,
        // A hub of an earlier version does not send the address.
        typeof address === 'string' && `from ${address}`,
        <>
          used <Time at={last_used_at} />
        </>,
        <>
          signed in <Time at={created_at} />
        </>,
      ]}
      actions={
        !current && (
          <Button
            kind="plain"
            className="text-bad"
            isPending={end.isPending}
            onClick={() => end.mutate({ parameters: { id } })}
          >
            Sign out
          </Button>
        )
      }
    />
  );
}

function EndOtherSessions() {
  const end = useAction('endOtherSessions', {
    changes: ['listSessions'],
    doneMessage: () => 'All other sessions ended',
  });
  return (
    <Button isPending={end.isPending} onClick={() => end.mutate(undefined)}>
      End all other sessions
    </Button>
  );
}

function SignOutEverywhere() {
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const { signOut, isPending } = useSignOut('signOutEverywhere');
  return (
    <div>
      <Button kind="danger" onClick={() => setIsDialogOpen(true)}>
        Sign out everywhere
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        isPending={isPending}
        onConfirm={signOut}
      >
        <p>
          Ends all your sessions, including this one, and revokes your access tokens. API keys keep working.
        </p>
      </Confirm>
    </div>
  );
}
