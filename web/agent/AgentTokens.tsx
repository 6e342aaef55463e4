import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMemberNames } from '../account/use-member-names.ts';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { ShownOnce } from '../design/overlay/ShownOnce.tsx';
import { CodeBlock, Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { agentCommand } from './agent-command.ts';
import { NewTokenDialog } from './NewTokenDialog.tsx';

type Token = Item<'listAgentTokens'>;

export function AgentTokens() {
  const query = useInfiniteQuery(readPages('listAgentTokens'));
  const [isMaking, setIsMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const [revoked, setRevoked] = useState<Token>();
  return (
    <>
      <div>
        <Button kind="primary" onClick={() => setIsMaking(true)}>
          Make an agent token
        </Button>
      </div>
      <QueryList
        query={query}
        what="agent tokens"
        idOf={({ id }) => id}
        row={(token) => <TokenRow token={token} onRevoke={() => setRevoked(token)} />}
        empty={
          <Empty title="No agent tokens yet">
            <p>
              An agent needs one to connect. Each machine may have its own, so that one can be taken away
              alone.
            </p>
          </Empty>
        }
      />
      {isMaking && <NewTokenDialog onClose={() => setIsMaking(false)} onMade={setMade} />}
      {revoked && <RevokeToken token={revoked} onClose={() => setRevoked(undefined)} />}
      <ShownOnce token={made} what="agent token" onClose={() => setMade(undefined)}>
        <p>Start the agent with it, beside the svc.yaml of the machine:</p>
        <CodeBlock text={agentCommand(made ?? '', location.origin)} copyLabel="Copy the command" />
      </ShownOnce>
    </>
  );
}

interface TokenRowProps {
  readonly token: Token;
  readonly onRevoke: () => void;
}

function TokenRow({ token, onRevoke }: TokenRowProps) {
  const nameOf = useMemberNames();
  const { name, last4, agent_names, pool, created_at, created_by, revoked_at } = token;
  return (
    <Row
      title={<Visible text={name} />}
      facts={[
        <code key="last4">svc_at_…{last4}</code>,
        agent_names.length === 0 ? (
          'not used yet'
        ) : (
          <>
            only as <code>{agent_names.join(', ')}</code>
          </>
        ),
        pool && 'for many processes',
        <>
          made <Time at={created_at} /> by {nameOf(created_by)}
        </>,
        revoked_at !== null && (
          <span className="text-bad">
            revoked <Time at={revoked_at} />
          </span>
        ),
      ]}
      actions={
        revoked_at === null && (
          <Button
            kind="plain"
            className="text-bad"
            onClick={onRevoke}
            aria-label={`Revoke the agent token ${name}`}
          >
            Revoke
          </Button>
        )
      }
    />
  );
}

interface RevokeTokenProps {
  readonly token: Token;
  readonly onClose: () => void;
}

function RevokeToken({ token: { id, name }, onClose }: RevokeTokenProps) {
  const revoke = useAction('revokeAgentToken', {
    changes: ['listAgentTokens', 'listAgents'],
    told: () => `The agent token ${name} is revoked`,
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke the agent token ${name}?`}
      action="Revoke token"
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate({ parameters: { id } })}
    >
      <p>Agents that are connected with it are cut off at once, and cannot come back. It cannot be undone.</p>
    </Confirm>
  );
}
