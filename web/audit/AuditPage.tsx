import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS, type AuditAction } from '@svc/core/audit/actions';
import { withShownAddresses } from '@svc/core/text/shown-address';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { type Item, readPages } from '../api/read.ts';
import { useDownload } from '../api/use-download.ts';
import { Button } from '../design/Button.tsx';
import { Disclosure } from '../design/Disclosure.tsx';
import { Select } from '../design/form/Select.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page } from '../design/Page.tsx';
import { CodeBlock, Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

/** The audit log: append-only, each entry holds the hash of the previous one (decision 48, the audit log). */
export function AuditPage() {
  const can = useMay('audit.view');
  return (
    <Page
      title="Audit log"
      about="Every change and decision, with person and address. Entries cannot be changed, and you can verify an export without svc."
      actions={<ExportAudit why={can.ok ? undefined : can.reason} />}
    >
      {can.ok ? <Entries /> : <Locked title="You can't view the audit log" reason={can.reason} />}
    </Page>
  );
}

function Entries() {
  const [action, setAction] = useState<AuditAction | ''>('');
  const query = useInfiniteQuery(readPages('listAudit', { query: action === '' ? {} : { action } }));
  return (
    <>
      <div className="w-72 max-w-full">
        <Select label="Action" options={ACTION_OPTIONS} value={action} onChange={setAction} />
      </div>
      <QueryList
        query={query}
        what="audit log entries"
        idOf={({ seq }) => String(seq)}
        row={(entry) => <AuditRow entry={entry} />}
        empty={
          <Empty title="No matching entries">
            <p>Select another action, or all actions.</p>
          </Empty>
        }
      />
    </>
  );
}

function AuditRow({ entry }: { readonly entry: Item<'listAudit'> }) {
  const { at, actor, words, target, from } = entry;
  return (
    <div className="py-1.5">
      <Disclosure
        summary={
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <span className="w-24 shrink-0 text-sm text-soft">
              <Time at={at} />
            </span>
            <span className="wrap-anywhere">
              <strong className="font-semibold">
                <Visible text={withShownAddresses(actor.name ?? actor.kind)} />
              </strong>{' '}
              {words}
              {target?.name && target.name !== actor.name && (
                <>
                  {': '}
                  <Visible text={target.name} />
                </>
              )}
            </span>
            {from?.address && <span className="text-sm text-soft">from {from.address}</span>}
          </span>
        }
      >
        <CodeBlock text={JSON.stringify(entry, undefined, 2)} copyLabel="Copy entry" />
      </Disclosure>
    </div>
  );
}

/** Downloads the whole log, one JSON object per line. */
function ExportAudit({ why }: { readonly why: string | undefined }) {
  const download = useDownload('/audit/export', 'audit.ndjson');
  return (
    <Button onClick={() => download.mutate()} isPending={download.isPending} why={why}>
      Export as NDJSON
    </Button>
  );
}

/** All actions, or one, in the words of the log. */
const ACTION_OPTIONS: readonly { readonly value: AuditAction | ''; readonly label: string }[] = [
  { value: '', label: 'All actions' },
  ...AUDIT_ACTION_NAMES.map((value) => ({ value, label: sentenceCase(AUDIT_ACTIONS[value]) })),
];

function sentenceCase(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
