import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { useMemberNames } from '../account/use-member-names.ts';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Page } from '../design/Page.tsx';
import { Code } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { SecretDialog } from './SecretDialog.tsx';
import { AllGrants, WaitingGrants } from './SecretGrants.tsx';

type Secret = Item<'listSecrets'>;

/** The managed secrets that commands reference as `$svc:NAME`. The API never returns their values. */
export function SecretsPage() {
  const can = useMay('secret.manage');
  const [edited, setEdited] = useState<Secret | 'new'>();
  return (
    <Page
      title="Secrets"
      about={
        <>
          Reference a secret in a command as <code>$svc:NAME</code>. Values are encrypted, masked in output
          and never shown again.
        </>
      }
      actions={
        <Button kind="primary" onClick={() => setEdited('new')} why={can.ok ? undefined : can.reason}>
          Create secret
        </Button>
      }
    >
      {can.ok ? (
        <>
          <WaitingGrants />
          <SecretList onEdit={setEdited} />
          <AllGrants />
        </>
      ) : (
        <Locked title="You can't view secrets" reason={can.reason} />
      )}
      {edited !== undefined && <SecretDialog edited={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}

function SecretList({ onEdit }: { readonly onEdit: (secret: Secret | 'new') => void }) {
  const query = useInfiniteQuery(readPages('listSecrets'));
  const [removed, setRemoved] = useState<Secret>();
  const remove = useAction('deleteSecret', {
    changes: ['listSecrets'],
    doneMessage: (_, call) => `Secret ${call.parameters.secret} deleted`,
    onDone: () => setRemoved(undefined),
  });
  return (
    <>
      <QueryList
        query={query}
        what="secrets"
        idOf={({ name }) => name}
        row={(secret) => (
          <SecretRow secret={secret} onEdit={() => onEdit(secret)} onDelete={() => setRemoved(secret)} />
        )}
        empty={
          <Empty title="No secrets yet">
            <p>
              Store a password or token here and write <code>$svc:NAME</code> in a command, so it never
              appears in a file.
            </p>
            <Button kind="primary" onClick={() => onEdit('new')}>
              Create secret
            </Button>
          </Empty>
        }
      />
      <Confirm
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={`Delete secret ${removed?.name ?? ''}?`}
        action="Delete secret"
        isPending={remove.isPending}
        onConfirm={() => removed && remove.mutate({ parameters: { secret: removed.name } })}
      >
        <p>
          Calls of endpoints that use this secret are refused from now on. Running executions keep its value.
        </p>
      </Confirm>
    </>
  );
}

interface SecretRowProps {
  readonly secret: Secret;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function SecretRow({ secret, onEdit, onDelete }: SecretRowProps) {
  const nameOf = useMemberNames();
  return (
    <Row
      title={<Code text={secret.name} />}
      facts={[
        secret.agents === null
          ? 'all agents that existed when it was set or that an admin allowed'
          : `only for ${secret.agents.join(', ')}`,
        <>
          set <Time at={secret.updated_at} /> by {nameOf(secret.updated_by)}
        </>,
      ]}
      actions={
        <>
          <Button kind="plain" onClick={onEdit} aria-label={`Replace secret ${secret.name}`}>
            Replace
          </Button>
          <Button
            kind="plain"
            className="text-bad"
            onClick={onDelete}
            aria-label={`Delete secret ${secret.name}`}
          >
            Delete
          </Button>
        </>
      }
    />
  );
}
