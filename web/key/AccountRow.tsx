import type { Item } from '../api/read.ts';
import { Button } from '../design/Button.tsx';
import { Row } from '../design/list/Row.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

type Account = Item<'listServiceAccounts'>;
type Key = Account['keys'][number];

interface AccountRowProps {
  readonly account: Account;
  readonly nameOf: (userId: string) => string;
  readonly onNewKey: () => void;
  readonly onDisable: () => void;
  readonly onRevoke: (key: Key) => void;
}

/** A service account with its keys below it. */
export function AccountRow({ account, nameOf, onNewKey, onDisable, onRevoke }: AccountRowProps) {
  const { name, role, keys, created_by, created_at, disabled_at } = account;
  return (
    <>
      <Row
        title={<Visible text={name} />}
        facts={[
          role,
          <>
            created <Time at={created_at} /> by {nameOf(created_by)}
          </>,
          disabled_at === null ? (
            keys.length === 0 && 'no key yet'
          ) : (
            <span key="disabled" className="text-bad">
              disabled <Time at={disabled_at} />
            </span>
          ),
        ]}
        actions={
          disabled_at === null && (
            <>
              <Button kind="plain" onClick={onNewKey} aria-label={`Create key of ${name}`}>
                Create key
              </Button>
              <Button
                kind="plain"
                className="text-bad"
                onClick={onDisable}
                aria-label={`Disable service account ${name}`}
              >
                Disable
              </Button>
            </>
          )
        }
      />
      {keys.length > 0 && (
        <ul className="ml-4 border-l border-line pl-4">
          {keys.map((key) => (
            <li key={key.id}>
              <KeyOfAccount account={account} of={key} nameOf={nameOf} onRevoke={() => onRevoke(key)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface KeyOfAccountProps {
  readonly account: Account;
  readonly of: Key;
  readonly nameOf: (userId: string) => string;
  readonly onRevoke: () => void;
}

function KeyOfAccount({ account, of, nameOf, onRevoke }: KeyOfAccountProps) {
  const { name, last4, endpoints, created_by, created_at, expires_at, last_used_at } = of;
  return (
    <Row
      title={<Visible text={name} />}
      facts={[
        <code key="last4">svc_sk_…{last4}</code>,
        endpoints !== null && `only calls ${endpoints.join(', ')}`,
        last_used_at === null ? (
          'never used'
        ) : (
          <>
            used <Time at={last_used_at} />
          </>
        ),
        <>
          created <Time at={created_at} /> by {nameOf(created_by)}
        </>,
        expires_at !== null && (
          <>
            expires <Time at={expires_at} />
          </>
        ),
      ]}
      actions={
        <Button
          kind="plain"
          className="text-bad"
          onClick={onRevoke}
          aria-label={`Revoke key ${name} of ${account.name}`}
        >
          Revoke
        </Button>
      }
    />
  );
}
