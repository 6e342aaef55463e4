import { type RefObject, useCallback, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react';
import { afterScroll, type FollowPosition } from '../following.ts';
import type { LineLog } from '../line-log.ts';
import { LineRows } from './line-rows.ts';

export const ROW_PX = 20;
/** Rows rendered beyond the edges, so that scrolling shows no gaps. */
const MARGIN_ROWS = 24;

interface Place {
  readonly top: number;
  readonly height: number;
  readonly columns: number;
}

export interface OutputWindow {
  readonly from: number;
  readonly to: number;
  /** The offset of the first rendered line, and the total height, in pixels. */
  readonly offset: number;
  readonly total: number;
  readonly onScroll: () => void;
  /** Scrolls a line to the middle. */
  readonly show: (line: number) => void;
  readonly follow: (isFollowing: boolean) => void;
  /** The person begins to go up: pauses until they return to the end. */
  readonly leaveEnd: () => void;
  /** The person goes down, or takes hold of the scrollbar: at the end the view follows again. */
  readonly turnBack: () => void;
  readonly isFollowing: boolean;
}

interface OutputLayout {
  readonly wraps: boolean;
  /** Time stamps leave less room for the text. */
  readonly hasTimes: boolean;
  readonly startsAtEnd: boolean;
}

/** The lines of a log to render, while the log grows and the view scrolls or resizes. */
export function useOutputWindow(
  element: RefObject<HTMLElement | null>,
  log: LineLog,
  { wraps, hasTimes, startsAtEnd }: OutputLayout,
): OutputWindow {
  const [place, setPlace] = useState<Place>({ top: 0, height: 800, columns: 80 });
  const following = useRef<FollowPosition>({ isFollowing: startsAtEnd, top: 0 });
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const columns = wraps ? place.columns : undefined;
  const rows = useMemo(() => new LineRows(log, columns), [log, columns]);
  const anchorTop = following.current.top;
  const anchor = rows.anchorLine(
    Math.floor(anchorTop / ROW_PX),
    Math.floor((anchorTop + place.height) / ROW_PX),
  );
  const anchorAbove = rows.above(anchor);
  /** The pixels by which earlier lines that have arrived would move those in sight. */
  const shift = useRef(0);
  if (rows.sync()) shift.current += (rows.above(anchor) - anchorAbove) * ROW_PX;

  const total = rows.total * ROW_PX;
  const top = following.current.isFollowing
    ? Math.max(total - place.height, 0)
    : Math.min(place.top + shift.current, total);
  const from = rows.lineAt(Math.floor(top / ROW_PX) - MARGIN_ROWS);
  const to = Math.min(rows.lineAt(Math.ceil((top + place.height) / ROW_PX) + MARGIN_ROWS) + 1, log.end);

  useSize(element, setPlace, hasTimes);
  useLayoutEffect(() => {
    const view = element.current;
    if (view === null) return;
    if (wraps && correct(view, rows, log)) draw();
    const moved = shift.current;
    shift.current = 0;
    if (!following.current.isFollowing) {
      if (moved === 0) return;
      view.scrollTop += moved;
      following.current = { ...following.current, top: view.scrollTop };
      setPlace((old) => ({ ...old, top: view.scrollTop }));
      return;
    }
    view.scrollTop = view.scrollHeight;
    following.current = { isFollowing: true, top: view.scrollTop };
  });

  const onScroll = useCallback(() => {
    const view = element.current;
    if (view === null) return;
    const before = following.current;
    const now = { top: view.scrollTop, height: view.clientHeight, total: view.scrollHeight };
    following.current = afterScroll(before, now);
    setPlace((old) => (isNear(old.top, now.top) ? old : { ...old, top: now.top }));
    if (before.isFollowing !== following.current.isFollowing) draw();
  }, [element]);

  const show = useCallback(
    (line: number) => {
      const view = element.current;
      if (view === null) return;
      const middle = rows.above(line) * ROW_PX - view.clientHeight / 2 + ROW_PX;
      following.current = { isFollowing: false, top: Math.max(middle, 0) };
      setPlace((old) => ({ ...old, top: Math.max(middle, 0) }));
      view.scrollTop = middle;
    },
    [element, rows],
  );

  const follow = useCallback(
    (isFollowing: boolean) => {
      const top = element.current?.scrollTop ?? 0;
      following.current = { isFollowing, top };
      setPlace((old) => ({ ...old, top }));
    },
    [element],
  );

  const leaveEnd = useCallback(() => {
    follow(false);
    following.current = { ...following.current, isLeaving: true };
  }, [follow]);

  const turnBack = useCallback(() => {
    following.current = { ...following.current, isLeaving: false };
  }, []);

  const { isFollowing } = following.current;
  const person = { onScroll, show, follow, leaveEnd, turnBack };
  return { from, to, offset: rows.above(from) * ROW_PX, total, isFollowing, ...person };
}

/** A new window is rendered when a third of the margin is used. */
function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < (MARGIN_ROWS / 3) * ROW_PX && other > 0;
}

/** Corrects the rows of lines whose characters are not one cell wide. */
function correct(view: HTMLElement, rows: LineRows, log: LineLog): boolean {
  let isCorrected = false;
  for (const line of view.querySelectorAll<HTMLElement>('.output-line')) {
    const count = Math.round(line.offsetHeight / ROW_PX);
    if (rows.correct(log.indexOf(Number(line.dataset.line)), count)) isCorrected = true;
  }
  return isCorrected;
}

function useSize(
  element: RefObject<HTMLElement | null>,
  set: (change: (old: Place) => Place) => void,
  hasTimes: boolean,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: time stamps change the width of the text
  useLayoutEffect(() => {
    const view = element.current;
    if (view === null) return;
    const measure = () => {
      const height = view.clientHeight;
      const columns = columnsOf(view);
      set((old) => (old.height === height && old.columns === columns ? old : { ...old, height, columns }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(view);
    void document.fonts.ready.then(measure);
    return () => observer.disconnect();
  }, [element, set, hasTimes]);
}

/** The number of cells in a row, measured with the loaded font. */
function columnsOf(view: HTMLElement): number {
  const text = view.querySelector<HTMLElement>('.output-text');
  const probe = view.querySelector<HTMLElement>('.output-probe');
  if (probe === null) return 80;
  const cell = probe.getBoundingClientRect().width / (probe.textContent?.length ?? 1);
  const padding = 28;
  const width = (text?.clientWidth ?? view.clientWidth - 60) - padding;
  return Math.max(Math.floor(width / cell), 10);
}
