const GAP_PX = 6;
const EDGE_PX = 8;

/** Opens a popover below an element, or above it where there is no room, inside the window. */
export function placeBeside(floating: HTMLElement, beside: HTMLElement): void {
  if (!floating.matches(':popover-open')) floating.showPopover();
  const { left, top, bottom, width } = beside.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = floating;
  const { clientWidth, clientHeight } = document.documentElement;
  const below = bottom + GAP_PX;
  const fitsBelow = below + offsetHeight + EDGE_PX <= clientHeight;
  const centred = left + (width - offsetWidth) / 2;
  const maxLeft = Math.max(EDGE_PX, clientWidth - offsetWidth - EDGE_PX);
  floating.style.position = 'fixed';
  floating.style.left = `${Math.min(Math.max(centred, EDGE_PX), maxLeft)}px`;
  floating.style.top = `${fitsBelow ? below : Math.max(EDGE_PX, top - GAP_PX - offsetHeight)}px`;
}
