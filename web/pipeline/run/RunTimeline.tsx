import { TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import { type CSSProperties, useMemo } from 'react';
import type { Answer } from '../../api/read.ts';
import { classes } from '../../design/classes.ts';
import { StateMark } from '../../design/state/StateMark.tsx';
import { STATES, TONE_CLASS } from '../../design/state/states.ts';
import { Visible } from '../../design/text/Code.tsx';
import { useNow } from '../../design/time/now.ts';
import { duration } from '../../design/time/time-words.ts';
import { type Timeline, type TimelineBar, type TimelineRow, timelineOf } from './timeline.ts';

interface RunTimelineProps {
  readonly run: Answer<'showPipelineRun'>;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
}

/** Name, bars and duration: the same columns in the axis and in every row. On a phone the bars have a line of their own. */
const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 sm:grid-cols-[minmax(0,13rem)_minmax(0,1fr)_4.5rem]';
/** More rows than this are drawn as they come into sight. */
const MAX_DRAWN = 100;
const AXIS = 'col-span-2 sm:col-span-1 sm:col-start-2 sm:row-start-1';

/** The steps of a run as a list, each with its attempts along the time of the run. A step shows its output when selected. */
export function RunTimeline({ run, selected, onSelect }: RunTimelineProps) {
  const nowMs = useNow(run.ended_at === null ? 1_000 : undefined);
  const { rows, ticks, spanMs } = useMemo(() => timelineOf(run, nowMs), [run, nowMs]);
  return (
    <section aria-label="Steps" className="rounded border border-line bg-raised">
      <div className={classes(COLUMNS, 'border-b border-line px-3 py-1 text-xs text-soft')} aria-hidden>
        <span className="hidden sm:block">Step</span>
        <Ticks ticks={ticks} />
        <span className="hidden text-right sm:col-start-3 sm:block">{duration(spanMs)}</span>
      </div>
      <ol className="max-h-[26rem] overflow-y-auto py-1">
        <Row isSelected={selected === TRIGGER_ID} onSelect={() => onSelect(TRIGGER_ID)} name="Input" />
        {rows.map((row) => (
          <Row
            key={row.node}
            name={row.node}
            row={row}
            ticks={ticks}
            isDeferred={rows.length > MAX_DRAWN}
            isSelected={selected === row.node}
            onSelect={() => onSelect(row.node)}
          />
        ))}
      </ol>
    </section>
  );
}

function Ticks({ ticks }: Pick<Timeline, 'ticks'>) {
  return (
    <div className={classes(AXIS, 'relative h-4')}>
      {ticks.map(({ at, label }) => (
        <span key={label} className="absolute whitespace-nowrap" style={{ left: percent(at) }}>
          {label}
        </span>
      ))}
    </div>
  );
}

interface RowProps {
  readonly name: string;
  /** Undefined: the input of the run, which takes no time. */
  readonly row?: TimelineRow;
  readonly ticks?: Timeline['ticks'];
  /** Drawn once it is in sight. Its guessed height is that of a desk: on a phone the rows below would move. */
  readonly isDeferred?: boolean;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function Row({ name, row, ticks = [], isDeferred = false, isSelected, onSelect }: RowProps) {
  return (
    <li
      data-row=""
      className={classes(isDeferred && '[contain-intrinsic-height:36px] [content-visibility:auto]')}
    >
      <button
        type="button"
        aria-pressed={isSelected}
        onClick={onSelect}
        className={classes(
          COLUMNS,
          'min-h-9 w-full cursor-pointer items-center gap-y-1 px-3 py-1 text-left -outline-offset-2 pointer-coarse:min-h-11',
          isSelected ? 'bg-accent-wash shadow-[inset_3px_0_var(--accent)]' : 'hover:bg-paper',
        )}
      >
        <span className="flex min-w-0 items-center gap-2">
          {row ? <StateMark state={row.state} isCompact /> : <span className="w-4" />}
          <span className={classes('min-w-0 truncate', row ? 'font-mono' : 'text-soft')} title={name}>
            <Visible text={name} />
          </span>
        </span>
        {row && <Bars row={row} ticks={ticks} />}
        <span className="text-right text-sm whitespace-nowrap text-soft sm:col-start-3">
          {row?.ms !== undefined && duration(row.ms)}
        </span>
      </button>
    </li>
  );
}

function Bars({
  row: { bars, note },
  ticks,
}: {
  readonly row: TimelineRow;
  readonly ticks: Timeline['ticks'];
}) {
  return (
    <span className={classes(AXIS, 'relative order-last block h-5 sm:order-none')}>
      {ticks.map(({ at, label }) => (
        <span
          key={label}
          aria-hidden
          className="absolute -inset-y-2 border-l border-line"
          style={{ left: percent(at) }}
        />
      ))}
      {bars.map((bar) => (
        <Bar key={bar.id} bar={bar} />
      ))}
      {note !== undefined && (
        <span
          className="absolute top-0 px-1.5 text-xs leading-5 whitespace-nowrap text-soft"
          style={placeOfNote(bars)}
        >
          {note}
        </span>
      )}
    </span>
  );
}

/** Room for a note, as a share of the axis. */
const NOTE_SHARE = 0.3;

/** Behind the last bar; where there is no room, before the first one. */
function placeOfNote(bars: readonly TimelineBar[]): CSSProperties {
  const end = bars.at(-1)?.to ?? 0;
  const begin = bars[0]?.from ?? 0;
  return end > 1 - NOTE_SHARE && begin > NOTE_SHARE ? { right: percent(1 - begin) } : { left: percent(end) };
}

/** An attempt: a thin line while it waited, a bar while its command ran. */
function Bar({ bar: { attempt, state, from, started, to } }: { readonly bar: TimelineBar }) {
  const { word, tone } = STATES[state];
  return (
    <span title={`Attempt ${attempt}: ${word}`} className={TONE_CLASS[tone]}>
      <span
        className="absolute top-2 h-1 bg-current opacity-40"
        style={{ left: percent(from), width: percent(started - from) }}
      />
      {(to > started || state !== 'pending_approval') && (
        <span
          className={classes(
            'absolute top-0.5 h-4 min-w-1 rounded bg-current',
            state === 'running' ? 'opacity-70' : 'opacity-85',
          )}
          style={{ left: `min(${percent(started)}, calc(100% - 4px))`, width: percent(to - started) }}
        />
      )}
    </span>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
