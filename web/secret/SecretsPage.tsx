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

/** What commands reference as `$svc:NAME`: names, never values. */
export function SecretsPage() {
  const can = useMay('secret.manage');
  const [edited, setEdited] = useState<Secret | 'new'>();
  return (
    <Page
      title="Secrets"
      about={
        <>
          A command names one as <code>$svc:NAME</code> and gets its value as data. Values are encrypted,
          masked in output, and cannot be read back.
        </>
      }
      actions={
        <Button kind="primary" onClick={() => setEdited('new')} why={can.ok ? undefined : can.reason}>
          Set a secret
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
        <Locked what="The secrets of this workspace" reason={can.reason} />
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
    told: (_, call) => `The secret ${call.parameters.secret} is deleted`,
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
              Put a password or token here, write <code>$svc:NAME</code> where a command needs it, and it
              never stands in a file.
            </p>
            <Button kind="primary" onClick={() => onEdit('new')}>
              Set the first secret
            </Button>
          </Empty>
        }
      />
      <Confirm
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={`Delete the secret ${removed?.name ?? ''}?`}
        action="Delete secret"
        isPending={remove.isPending}
        onConfirm={() => removed && remove.mutate({ parameters: { secret: removed.name } })}
      >
        <p>Calls of endpoints that name it are refused from then on. What runs now keeps the value.</p>
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
          ? 'for agents that existed when it was set, or that an admin allowed'
          : `only for ${secret.agents.join(', ')}`,
        <>
          set <Time at={secret.updated_at} /> by {nameOf(secret.updated_by)}
        </>,
      ]}
      actions={
        <>
          <Button kind="plain" onClick={onEdit} aria-label={`Set anew: ${secret.name}`}>
            Set anew
          </Button>
          <Button
            kind="plain"
            className="text-bad"
            onClick={onDelete}
            aria-label={`Delete the secret ${secret.name}`}
          >
            Delete
          </Button>
        </>
      }
    />
  );
}
