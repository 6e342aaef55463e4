import { withShownAddresses } from '@svc/core/text/shown-address';
import type { Item } from '../api/read.ts';
import { Disclosure } from '../design/Disclosure.tsx';
import { CodeBlock, Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

export function AuditRow({ entry }: { readonly entry: Item<'listAudit'> }) {
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
              {target?.name && (
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
