import { shownAddress } from '@svc/core/text/shown-address';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Section } from '../design/Page.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

/** The sign-ins of the OpenID provider that are linked to the account. Nothing on a hub without a provider. */
export function LinkedSignIns() {
  const query = useInfiniteQuery(readPages('listIdentities'));
  const first = query.data?.pages[0];
  const provider = first?.provider ?? null;
  if (provider === null && (first?.items.length ?? 0) === 0) return null;
  return (
    <Section title="Single sign-on">
      <QueryList
        query={query}
        what="linked sign-ins"
        idOf={({ id }) => id}
        row={(identity) => <LinkedRow identity={identity} />}
        empty={
          <p className="max-w-prose text-soft">
            Link {provider} to sign in there. {provider} must have verified the email address of this account.
          </p>
        }
      />
      {provider !== null && <LinkProvider provider={provider} />}
    </Section>
  );
}

function LinkProvider({ provider }: { readonly provider: string }) {
  const link = useAction('linkIdentity', { onDone: ({ url }) => location.assign(url) });
  return (
    <div>
      <Button isPending={link.isPending} onClick={() => link.mutate(undefined)}>
        Link {provider}
      </Button>
    </div>
  );
}

function LinkedRow({ identity }: { readonly identity: Item<'listIdentities'> }) {
  const { id, issuer, email, workspace, created_at, last_used_at } = identity;
  const name = email === null ? issuer : shownAddress(email);
  const unlink = useAction('unlinkIdentity', {
    changes: ['listIdentities'],
    doneMessage: () => `${name} unlinked`,
  });
  return (
    <Row
      title={<Visible text={name} />}
      facts={[
        <Visible key="issuer" text={issuer} />,
        workspace !== null && `only for ${workspace}`,
        <>
          used <Time at={last_used_at} />
        </>,
        <>
          linked <Time at={created_at} />
        </>,
      ]}
      actions={
        <Button
          kind="plain"
          className="text-bad"
          isPending={unlink.isPending}
          onClick={() => unlink.mutate({ parameters: { id } })}
          aria-label={`Unlink ${name}`}
        >
          Unlink
        </Button>
      }
    />
  );
}
