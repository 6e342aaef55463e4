import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMemberNames } from '../account/use-member-names.ts';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

type AiClient = Item<'listAiClients'>;

/** Programs that members allowed to act for them over MCP (decision 74, access for AI clients). */
export function AiClientList() {
  const query = useInfiniteQuery(readPages('listAiClients'));
  const [revoked, setRevoked] = useState<AiClient>();
  return (
    <>
      <QueryList
        query={query}
        what="AI clients"
        idOf={({ id }) => id}
        row={(client) => <ClientRow client={client} onRevoke={() => setRevoked(client)} />}
        empty={
          <p className="text-soft">
            No AI client is connected. Each asks you in your browser what it may do.
          </p>
        }
      />
      {revoked && <RevokeClient client={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  );
}

interface ClientRowProps {
  readonly client: AiClient;
  readonly onRevoke: () => void;
}

function ClientRow({ client, onRevoke }: ClientRowProps) {
  const nameOf = useMemberNames();
  const { name, host, scopes, allowed_by, created_at, last_used_at, expires_at } = client;
  return (
    <Row
      title={<Visible text={name} />}
      facts={[
        host ?? 'registered itself',
        <code key="scopes">{scopes.join(' ')}</code>,
        <>
          allowed <Time at={created_at} /> by {nameOf(allowed_by)}
        </>,
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
        <Button kind="plain" className="text-bad" onClick={onRevoke} aria-label={`Revoke access of ${name}`}>
          Revoke
        </Button>
      }
    />
  );
}

interface RevokeClientProps {
  readonly client: AiClient;
  readonly onClose: () => void;
}

function RevokeClient({ client: { id, name }, onClose }: RevokeClientProps) {
  const revoke = useAction('revokeAiClient', {
    changes: ['listAiClients'],
    doneMessage: () => `Access of ${name} revoked`,
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke the access of ${name}?`}
      action="Revoke access"
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate({ parameters: { id } })}
    >
      <p>Its calls are refused at once. Its user can allow it again.</p>
    </Confirm>
  );
}
