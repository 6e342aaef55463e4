import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemberNames } from '../account/use-member-names.ts';
import { type Item, read, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Section } from '../design/Page.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

type Grant = Item<'listSecretGrants'>;
const idOf = ({ secret, kind, id }: Grant) => `${secret} ${kind} ${id}`;

/** The grants that wait for an admin; renders nothing when there are none. */
export function WaitingGrants() {
  const { data } = useQuery(read('listSecretGrants', { query: { state: 'waiting', limit: 100 } }));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section title="Needs your approval">
      <p className="text-sm text-soft">
        These agents connected after the secret was set, or these endpoints use it in public or scheduled
        calls. They receive the secret only after you allow it.
      </p>
      <ul className="flex flex-col divide-y divide-line">
        {data.items.map((grant) => (
          <li key={idOf(grant)}>
            <GrantRow grant={grant} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Everything that uses a secret, with the decisions. */
export function AllGrants() {
  const query = useInfiniteQuery(readPages('listSecretGrants'));
  return (
    <Section title="Secret access">
      <QueryList
        query={query}
        what="grants"
        idOf={idOf}
        row={(grant) => <GrantRow grant={grant} />}
        empty={<p className="text-sm text-soft">No endpoint uses a secret yet.</p>}
      />
    </Section>
  );
}

const STATE_WORDS: Readonly<Record<Grant['state'], string>> = {
  waiting: 'waiting',
  allowed: 'allowed',
  refused: 'refused',
  granted: 'granted when the secret was set',
};

function GrantRow({ grant }: { readonly grant: Grant }) {
  const nameOf = useMemberNames();
  const { secret, kind, id, question, about, state, decided_by, decided_at } = grant;
  const decide = useAction('decideSecretGrant', {
    changes: ['listSecretGrants', 'listEndpoints', 'showEndpoint'],
    doneMessage: (answer) => (answer.state === 'allowed' ? 'Secret access allowed' : 'Secret access refused'),
  });
  const choose = (decision: 'allow' | 'refuse') => decide.mutate({ body: { secret, kind, id, decision } });
  return (
    <Row
      title={<Visible text={sentence(question)} />}
      facts={[
        STATE_WORDS[state],
        about !== null && <Visible text={kind === 'process' ? `on ${about}` : `token ${about}`} />,
        decided_by !== null && decided_at !== null && (
          <>
            <Time at={decided_at} /> by {nameOf(decided_by)}
          </>
        ),
      ]}
      actions={
        <>
          {state !== 'allowed' && state !== 'granted' && (
            <Button
              kind={state === 'waiting' ? 'primary' : 'plain'}
              onClick={() => choose('allow')}
              isPending={decide.isPending}
              aria-label={`Allow: ${question}`}
            >
              Allow
            </Button>
          )}
          {state !== 'refused' && (
            <Button
              kind="plain"
              className="text-bad"
              onClick={() => choose('refuse')}
              aria-label={`Refuse: ${question}`}
            >
              Refuse
            </Button>
          )}
        </>
      }
    />
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
