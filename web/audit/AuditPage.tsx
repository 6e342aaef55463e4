import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS, type AuditAction } from '@svc/core/audit/actions';
import { withShownAddresses } from '@svc/core/text/shown-address';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMay } from '../account/account.ts';
import { type Item, readPages } from '../api/read.ts';
import { useDownload } from '../api/use-download.ts';
import { Button } from '../design/Button.tsx';
import { Disclosure } from '../design/Disclosure.tsx';
import { FoldedOnPhone } from '../design/FoldedOnPhone.tsx';
import { MomentField } from '../design/form/MomentField.tsx';
import { Select } from '../design/form/Select.tsx';
import { TypedField } from '../design/form/TypedField.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { Locked } from '../design/list/Locked.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Page } from '../design/Page.tsx';
import { CodeBlock, Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { type AuditSearch, MAX_NAME_CHARS, readAuditSearch } from './audit-search.ts';

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
  const search = useSearch({ from: '/audit' });
  const query = useInfiniteQuery(readPages('listAudit', { query: search }));
  return (
    <>
      <FoldedOnPhone summary={Object.keys(search).length > 0 ? 'Filters (filtered)' : 'Filters'}>
        <Filters search={search} />
      </FoldedOnPhone>
      <QueryList
        query={query}
        what="audit log entries"
        idOf={({ seq }) => String(seq)}
        row={(entry) => <AuditRow entry={entry} />}
        empty={
          <Empty title="No matching entries">
            <Link to="/audit" className="text-accent underline">
              Show all entries
            </Link>
          </Empty>
        }
      />
    </>
  );
}

/** The filters of the log, which are in the address of the page. */
function Filters({ search }: { readonly search: AuditSearch }) {
  const navigate = useNavigate();
  const change = (part: Readonly<Record<string, unknown>>) =>
    void navigate({ to: '/audit', search: readAuditSearch({ ...search, ...part }), replace: true });
  const { action = '', actor = '', name = '', from, until } = search;
  const members = useMembers();
  const people = [
    ...new Map([...members, ...(actor && !members.has(actor) ? [[actor, actor] as const] : [])]),
  ];
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-[repeat(3,minmax(0,1fr))_auto_auto]">
      <Select
        label="Action"
        options={ACTION_OPTIONS}
        value={action}
        onChange={(next) => change({ action: next })}
      />
      <Select
        label="Member"
        options={[{ value: '', label: 'Anyone' }, ...people.map(([value, label]) => ({ value, label }))]}
        value={actor}
        onChange={(next) => change({ actor: next })}
      />
      <TypedField
        label="Name begins with"
        placeholder="Actor or target"
        value={name}
        maxLength={MAX_NAME_CHARS}
        onTyped={(next) => change({ name: next })}
      />
      <MomentField label="From (UTC)" value={from} onChange={(next) => change({ from: next })} />
      <MomentField label="Until (UTC)" value={until} onChange={(next) => change({ until: next })} />
    </div>
  );
}

/** The email of each member by account id, the owner first. */
function useMembers(): ReadonlyMap<string, string> {
  const { data } = useInfiniteQuery(readPages('listMembers'));
  const everyone = data?.pages.flatMap(({ items, owner }) => [owner, ...items]) ?? [];
  return new Map(everyone.map(({ id, email }) => [id, email]));
}

function AuditRow({ entry }: { readonly entry: Item<'listAudit'> }) {
  const { at, actor, words, target, from } = entry;
  return (
    <div className="py-1.5">
      <Disclosure
        summary={
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <span className="shrink-0 basis-full text-sm text-soft sm:w-24 sm:basis-auto">
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
