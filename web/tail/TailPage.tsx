import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from '../design/Button.tsx';
import { Toggle } from '../design/form/Toggle.tsx';
import { TypedField } from '../design/form/TypedField.tsx';
import { Page } from '../design/Page.tsx';
import { grouped } from '../design/text/grouped.ts';
import { PAGE_HEADS } from '../page-heads.ts';
import { TailLines } from './TailLines.tsx';
import { MAX_TEXT_CHARS, readTailSearch } from './tail-search.ts';
import type { TailPhase } from './tail-stream.ts';
import { useTail } from './use-tail.ts';

/** The output of everything that runs, line by line. */
export function TailPage() {
  const search = useSearch({ from: '/live' });
  const navigate = useNavigate();
  const tail = useTail(search);
  const change = (part: Readonly<Record<string, unknown>>) =>
    void navigate({ to: '/live', search: readTailSearch({ ...search, ...part }), replace: true });
  return (
    <Page {...PAGE_HEADS['/live']}>
      <div className="grid grid-cols-2 items-end gap-3 sm:grid-cols-[1fr_1fr_auto]">
        <TypedField
          label="Endpoint"
          placeholder="Any endpoint"
          value={search.endpoint ?? ''}
          onTyped={(endpoint) => change({ endpoint })}
        />
        <TypedField
          label="Text"
          placeholder="Any text"
          value={search.text ?? ''}
          maxLength={MAX_TEXT_CHARS}
          onTyped={(text) => change({ text })}
        />
        <div className="py-1.5">
          <Toggle
            label="Only stderr"
            isOn={search.stderr ?? false}
            onChange={(isOn) => change({ stderr: isOn || undefined })}
          />
        </div>
      </div>
      <section
        aria-label="Live output"
        className="flex h-[max(20rem,calc(100dvh-19rem))] min-h-0 flex-col overflow-hidden rounded border border-line bg-output"
      >
        <div className="flex flex-wrap items-center gap-2 border-b border-line bg-paper px-2 py-1">
          <Button onClick={() => tail.setPaused(!tail.isPaused)}>{tail.isPaused ? 'Resume' : 'Pause'}</Button>
          <Button onClick={tail.clear}>Clear</Button>
          <span className="ml-auto text-sm text-soft">
            {tail.isPaused
              ? `Paused, ${grouped(tail.newRows)} new`
              : `${grouped(tail.rows.length)} ${tail.rows.length === 1 ? 'line' : 'lines'}`}
          </span>
        </div>
        <div className="min-h-0 flex-1">
          <TailLines rows={tail.rows} isPaused={tail.isPaused} onPause={() => tail.setPaused(true)} />
        </div>
        <p role="status" className="min-h-7 border-t border-line bg-paper px-3 py-1 text-sm text-soft">
          {phaseText(tail.phase)}
        </p>
      </section>
    </Page>
  );
}

function phaseText(phase: TailPhase): string {
  switch (phase.kind) {
    case 'connecting':
      return 'Connecting…';
    case 'live':
      return 'Live: output appears as it is printed.';
    case 'waiting':
      return 'Connection lost. Reconnecting; lines in between are missing.';
    case 'refused':
      return phase.status === 429
        ? 'Too many live outputs are open. Close one; this page tries again.'
        : `The hub refused the stream (${phase.status}). This page tries again.`;
  }
}
