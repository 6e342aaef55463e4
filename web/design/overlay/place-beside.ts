const GAP_PX = 6;
const EDGE_PX = 8;

/** Opens a popover under an element, or above it where there is no room, and within the window. */
export function placeBeside(floating: HTMLElement, beside: HTMLElement): void {
  if (!floating.matches(':popover-open')) floating.showPopover();
  const { left, top, bottom, width } = beside.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = floating;
  const { clientWidth, clientHeight } = document.documentElement;
  const under = bottom + GAP_PX;
  const isRoomUnder = under + offsetHeight + EDGE_PX <= clientHeight;
  const centred = left + (width - offsetWidth) / 2;
  const mostLeft = Math.max(EDGE_PX, clientWidth - offsetWidth - EDGE_PX);
  floating.style.position = 'fixed';
  floating.style.left = `${Math.min(Math.max(centred, EDGE_PX), mostLeft)}px`;
  floating.style.top = `${isRoomUnder ? under : Math.max(EDGE_PX, top - GAP_PX - offsetHeight)}px`;
}
