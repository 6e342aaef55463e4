import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

export function Sessions() {
  const query = useInfiniteQuery(readPages('listSessions'));
  return (
    <>
      <QueryList
        query={query}
        what="sessions"
        idOf={({ id }) => id}
        row={(session) => <SessionRow session={session} />}
        empty={<p className="py-2 text-soft">None.</p>}
      />
      <SignOutEverywhere />
    </>
  );
}

function SessionRow({ session }: { readonly session: Item<'listSessions'> }) {
  const { id, browser, created_at, last_used_at, current } = session;
  const end = useAction('endSession', {
    changes: ['listSessions'],
    told: () => 'That browser is signed out',
  });
  return (
    <Row
      title={<Visible text={browser ?? 'a browser without a name'} />}
      facts={[
        current ? 'this one' : null,
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

function SignOutEverywhere() {
  const [isAsked, setIsAsked] = useState(false);
  const signOut = useAction('signOutEverywhere', { onDone: () => location.assign('/login') });
  return (
    <div>
      <Button kind="danger" onClick={() => setIsAsked(true)}>
        Sign out everywhere
      </Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        isPending={signOut.isPending}
        onConfirm={() => signOut.mutate(undefined)}
      >
        <p>All browsers and all access tokens of yours end, this browser with them. API keys go on.</p>
      </Confirm>
    </div>
  );
}
