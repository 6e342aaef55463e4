import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { grouped } from '../../design/text/grouped.ts';
import { duration } from '../../design/time/time-words.ts';
import { type ChartData, endOf, pickedBuckets, timeWords } from './chart-data.ts';
import 'uplot/dist/uPlot.min.css';
import './charts.css';

const HEIGHT_PX = 96;
/** A shorter drag is a click. */
const MIN_DRAG_PX = 5;
/** A bar stands between the begin and the end of its bucket. */
const BARS = uPlot.paths.bars?.({ size: [0.8, 24], gap: 1, align: 1 });

/** In the free corner of a chart: the newest bars are at the other end. */
const KEYS =
  'pointer-events-none absolute top-0 left-14 flex flex-wrap gap-x-4 rounded bg-raised/80 px-1 text-xs text-soft';

interface ChartsProps {
  readonly data: ChartData;
  /** The picked part of the time, RFC 3339. */
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly onPick: (picked: Picked) => void;
}

type Picked = ReturnType<typeof pickedBuckets>;

/** Executions by state, and their duration, over time. A click picks a bucket, a drag several. Loaded when a page has a chart. */
export function Charts({ data, from, until, onPick }: ChartsProps) {
  // The handlers of a chart outlive a render.
  const pick = useRef(onPick);
  pick.current = onPick;
  const counts = useRef<HTMLDivElement>(null);
  const durations = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const toPick = (picked: Picked) => pick.current(picked);
    const draw = () =>
      [drawCounts(counts.current, data, toPick), drawDurations(durations.current, data, toPick)].map((plot) =>
        withPicked(plot, from, until),
      );
    let drawn = draw();
    const redraw = () => {
      for (const plot of drawn) plot?.destroy();
      drawn = draw();
    };
    // A canvas keeps the colours of the theme it was drawn in.
    const theme = window.matchMedia('(prefers-color-scheme: dark)');
    const themeChoice = new MutationObserver(redraw);
    themeChoice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const size = new ResizeObserver(() => {
      for (const plot of drawn) {
        plot?.setSize({ width: widthOf(counts.current), height: HEIGHT_PX });
        withPicked(plot, from, until);
      }
    });
    if (counts.current) size.observe(counts.current);
    theme.addEventListener('change', redraw);
    return () => {
      theme.removeEventListener('change', redraw);
      themeChoice.disconnect();
      size.disconnect();
      for (const plot of drawn) plot?.destroy();
    };
  }, [data, from, until]);
  return (
    <div className="grid gap-x-6 gap-y-3 md:grid-cols-2">
      <figure className="relative min-w-0">
        <div ref={counts} aria-hidden className="h-[96px] overflow-hidden" />
        <figcaption className={KEYS}>
          <Key colour="bg-good" words="succeeded" />
          <Key colour="bg-bad" words="failed" />
          <Key colour="bg-never" words="other" />
          <span>in UTC</span>
        </figcaption>
      </figure>
      <figure className="relative min-w-0">
        <div ref={durations} aria-hidden className="h-[96px] overflow-hidden" />
        <figcaption className={KEYS}>
          <Key colour="bg-running" words="median" />
          <Key colour="bg-waiting" words="p95" />
          <span>in UTC</span>
        </figcaption>
      </figure>
    </div>
  );
}

function Key({ colour, words }: { readonly colour: string; readonly words: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden className={`size-2.5 ${colour}`} />
      {words}
    </span>
  );
}

/** Shows the picked part of the time. */
function withPicked(plot: uPlot | undefined, from: string | undefined, until: string | undefined) {
  if (plot === undefined || (from === undefined && until === undefined)) return plot;
  const width = plot.over.clientWidth;
  const place = (at: string | undefined, open: number) =>
    at === undefined ? open : Math.min(Math.max(plot.valToPos(Date.parse(at) / 1_000, 'x'), 0), width);
  const left = place(from, 0);
  plot.setSelect({ left, width: place(until, width) - left, top: 0, height: plot.over.clientHeight }, false);
  return plot;
}

/** Stacked bars: each is drawn from zero to its own top, the highest first. */
function drawCounts(
  place: HTMLElement | null,
  { times, succeeded, failed, others }: ChartData,
  onPick: (picked: Picked) => void,
): uPlot | undefined {
  if (place === null) return undefined;
  const withOthers = failed.map((count, index) => count + (others[index] ?? 0));
  const all = withOthers.map((count, index) => count + (succeeded[index] ?? 0));
  const bars = (colour: string): uPlot.Series => ({
    fill: themeColour(colour),
    stroke: themeColour(colour),
    width: 0,
    points: { show: false },
    ...(BARS && { paths: BARS }),
  });
  return new uPlot(
    {
      ...frame(place, times, onPick),
      series: [{}, bars('--good'), bars('--never'), bars('--bad')],
      axes: [xAxis(), yAxis((value) => (Number.isInteger(value) ? grouped(value) : ''))],
    },
    [[...times], all, withOthers, [...failed]],
    place,
  );
}

function drawDurations(
  place: HTMLElement | null,
  { times, p50, p95 }: ChartData,
  onPick: (picked: Picked) => void,
): uPlot | undefined {
  if (place === null) return undefined;
  const line = (colour: string): uPlot.Series => ({
    stroke: themeColour(colour),
    width: 1.5,
    spanGaps: true,
    points: { size: 4, fill: themeColour(colour) },
  });
  return new uPlot(
    {
      ...frame(place, times, onPick),
      series: [{}, line('--running'), line('--waiting')],
      axes: [xAxis(), yAxis(duration)],
    },
    [[...times], [...p50], [...p95]],
    place,
  );
}

function frame(place: HTMLElement, times: readonly number[], onPick: (picked: Picked) => void) {
  const pick = (plot: uPlot, from: number, to: number) =>
    onPick(pickedBuckets(times, plot.posToVal(from, 'x'), plot.posToVal(to, 'x')));
  return {
    width: widthOf(place),
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: {
      x: false,
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: MIN_DRAG_PX },
    },
    hooks: {
      setSelect: [
        (plot: uPlot) => {
          const { left, width } = plot.select;
          if (width > 0) pick(plot, left, left + width);
        },
      ],
      ready: [
        (plot: uPlot) =>
          plot.over.addEventListener('click', ({ offsetX }: MouseEvent) => pick(plot, offsetX, offsetX)),
      ],
    },
    scales: {
      x: { range: (): [number, number] => [times[0] ?? 0, endOf(times)] },
      y: { range: (_: uPlot, __: number, max: number): [number, number] => [0, Math.max(max * 1.1, 1)] },
    },
    tzDate: (sec: number) => uPlot.tzDate(new Date(sec * 1000), 'UTC'),
  };
}

function xAxis(): uPlot.Axis {
  const values: uPlot.Axis.DynamicValues = (_, ticks, __, ___, stepSec) =>
    ticks.map((sec) => timeWords(sec, stepSec));
  return { ...axis(), grid: { show: false }, size: 24, values };
}

function yAxis(words: (value: number) => string): uPlot.Axis {
  return { ...axis(), size: 56, values: (_, ticks) => ticks.map(words) };
}

function axis() {
  return {
    stroke: themeColour('--soft'),
    font: '12px "IBM Plex Sans", sans-serif',
    ticks: { show: false },
    grid: { stroke: themeColour('--line'), width: 1 },
  };
}

/** Resolves a CSS variable: a canvas takes neither variables nor every CSS colour. */
function themeColour(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

function widthOf(place: HTMLElement | null): number {
  return Math.max(place?.clientWidth ?? 0, 200);
}
