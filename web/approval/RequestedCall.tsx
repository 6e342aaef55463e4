import { clippedValue, fitsLine } from '@svc/core/approval/clipped-value';
import { withShownAddresses } from '@svc/core/text/shown-address';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from '../design/classes.ts';
import { Visible } from '../design/text/Code.tsx';
import { grouped } from '../design/text/grouped.ts';
import { Time } from '../design/time/Time.tsx';
import { setSpan } from '../design/time/time-words.ts';
import type { ListedApproval } from './approval.ts';

type Part = NonNullable<ListedApproval['parts']>[number];

/**
 * The request that a person approves, as on the page without scripts: the command as it is written, its values, who asked,
 * where it runs.
 */
export function RequestedCall({ approval }: { readonly approval: ListedApproval }) {
  const { parts, values } = approval;
  return (
    <>
      {values.map(
        ({ name, notice }) =>
          notice && (
            <p key={name} role="alert" className="border-2 border-bad px-3 py-2 font-semibold text-bad">
              <code>{name}</code>: {notice}
            </p>
          ),
      )}
      {parts === null ? (
        <p className="text-soft">The command is no longer available.</p>
      ) : (
        <pre
          dir="ltr"
          className="max-h-96 overflow-y-auto rounded bg-sunken px-3 py-2 leading-6 wrap-anywhere whitespace-pre-wrap"
        >
          {parts.map((part, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a frozen command keeps its parts in order.
            <CommandPart key={place} part={part} />
          ))}
        </pre>
      )}
      <LongValues parts={parts ?? []} />
      <Files files={approval.files ?? []} />
      <CallFacts approval={approval} />
    </>
  );
}

/** Line breaks of the command are real; those in a value are shown by name, so that it cannot look like the command. */
function CommandPart({ part: { kind, name, text = '' } }: { readonly part: Part }) {
  if (kind === 'secret') return <Aside>secret {name}</Aside>;
  if (kind === 'absent') return <Aside>no {name}</Aside>;
  if (kind === 'text')
    return text.split('\n').map((line, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a frozen command keep their order.
      <span key={place}>
        {place > 0 && '\n'}
        <Visible text={line} />
      </span>
    ));
  const shown = clippedValue(text);
  return (
    <mark
      title={`Value of ${name}`}
      className={classes(
        'rounded border border-accent box-decoration-clone bg-accent-wash px-1 font-semibold text-ink',
        fitsLine(text) && 'whitespace-pre',
      )}
    >
      {shown.kind === 'whole' ? (
        <Visible text={shown.text} />
      ) : (
        <>
          <Visible text={shown.head} />
          <Aside>… {grouped(shown.left)} more characters, shown below …</Aside>
          <Visible text={shown.tail} />
        </>
      )}
    </mark>
  );
}

function Aside({ children }: { readonly children: ReactNode }) {
  return <span className="font-sans text-soft italic">{children}</span>;
}

/** The values that the command shows only in part. */
function LongValues({ parts }: { readonly parts: readonly Part[] }) {
  const long = new Map(
    parts
      .filter(({ kind, text = '' }) => kind === 'value' && clippedValue(text).kind === 'clipped')
      .map(({ name, text = '' }) => [name, text]),
  );
  return [...long].map(([name, text]) => (
    <details key={name}>
      <summary className="cursor-pointer text-sm">
        Value of <code>{name}</code>, {grouped([...text].length)} characters
      </summary>
      <pre
        dir="ltr"
        className="mt-1 max-h-60 overflow-y-auto rounded bg-sunken px-3 py-2 wrap-anywhere whitespace-pre-wrap"
      >
        <Visible text={text} />
      </pre>
    </details>
  ));
}

/** The files that wait with the call. Their bytes are approved, so their digests are shown. */
function Files({ files }: { readonly files: NonNullable<ListedApproval['files']> }) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Files" className="flex flex-col gap-1 text-sm">
      {files.map(({ argument, name, bytes, type, sha256 }) => (
        <li key={argument} className="wrap-anywhere">
          <code>{argument}</code>: {name !== undefined && <Visible text={`${name}, `} />}
          {grouped(bytes)} bytes, {type}, SHA-256 <code>{sha256}</code>
        </li>
      ))}
    </ul>
  );
}

function CallFacts({ approval }: { readonly approval: ListedApproval }) {
  const { requested_by: by, created_at: at, agent_name: agent, timeout_s: timeout } = approval;
  const { endpoint, endpoint_version: version } = approval;
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
      <Fact name="Requested">
        by <Visible text={withShownAddresses(by)} />,{' '}
        {/* Room for "59 min ago", so that the facts do not wrap anew as time passes. */}
        <span className="inline-block min-w-[10ch]">
          <Time at={at} />
        </span>
      </Fact>
      <Fact name="Agent">
        <Visible text={agent} />
      </Fact>
      <Fact name="Endpoint">
        <Link to="/endpoints/$name" params={{ name: endpoint }} className="text-accent hover:underline">
          {version === null ? endpoint : `${endpoint}, version ${version}`}
        </Link>
      </Fact>
      <Fact name="Timeout">{setSpan(timeout * 1000)}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-x-2">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}
