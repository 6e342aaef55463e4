import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { duration } from '../../design/time/time-words.ts';
import { type ChartData, timeWords } from './chart-data.ts';
import 'uplot/dist/uPlot.min.css';

const HEIGHT_PX = 112;
const BARS = uPlot.paths.bars?.({ size: [0.8, 24], gap: 1 });

/** Executions by state, and their duration, over time. Loaded when a page has a chart. */
export function Charts({ data }: { readonly data: ChartData }) {
  const counts = useRef<HTMLDivElement>(null);
  const durations = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const draw = () => [drawCounts(counts.current, data), drawDurations(durations.current, data)];
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
      for (const plot of drawn) plot?.setSize({ width: widthOf(counts.current), height: HEIGHT_PX });
    });
    if (counts.current) size.observe(counts.current);
    theme.addEventListener('change', redraw);
    return () => {
      theme.removeEventListener('change', redraw);
      themeChoice.disconnect();
      size.disconnect();
      for (const plot of drawn) plot?.destroy();
    };
  }, [data]);
  return (
    <div className="grid gap-x-6 gap-y-3 md:grid-cols-2">
      <figure className="min-w-0">
        <div ref={counts} aria-hidden className="h-[112px] overflow-hidden" />
        <figcaption className="flex flex-wrap gap-x-4 text-sm text-soft">
          <Key colour="bg-good" words="succeeded" />
          <Key colour="bg-bad" words="failed" />
          <Key colour="bg-never" words="other" />
        </figcaption>
      </figure>
      <figure className="min-w-0">
        <div ref={durations} aria-hidden className="h-[112px] overflow-hidden" />
        <figcaption className="flex flex-wrap gap-x-4 text-sm text-soft">
          <Key colour="bg-running" words="median" />
          <Key colour="bg-waiting" words="p95" />
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

/** Stacked bars: each is drawn from zero to its own top, the highest first. */
function drawCounts(
  place: HTMLElement | null,
  { times, succeeded, failed, others }: ChartData,
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
      ...frame(place),
      series: [{}, bars('--good'), bars('--never'), bars('--bad')],
      axes: [xAxis(), yAxis((value) => (Number.isInteger(value) ? value.toLocaleString('en') : ''))],
    },
    [[...times], all, withOthers, [...failed]],
    place,
  );
}

function drawDurations(place: HTMLElement | null, { times, p50, p95 }: ChartData): uPlot | undefined {
  if (place === null) return undefined;
  const line = (colour: string): uPlot.Series => ({
    stroke: themeColour(colour),
    width: 1.5,
    spanGaps: true,
    points: { size: 4, fill: themeColour(colour) },
  });
  return new uPlot(
    {
      ...frame(place),
      series: [{}, line('--running'), line('--waiting')],
      axes: [xAxis(), yAxis(duration)],
    },
    [[...times], [...p50], [...p95]],
    place,
  );
}

function frame(place: HTMLElement) {
  return {
    width: widthOf(place),
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    scales: {
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
  return { ...axis(), size: 64, values: (_, ticks) => ticks.map(words) };
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
