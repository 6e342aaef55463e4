// Plays the recording of the start page: each piece of text appears at its time. Without this script the page shows all pieces.

interface Piece {
  readonly element: Element;
  readonly atMs: number;
}

/** The pause before the first piece. */
const LEAD_MS = 600;

function start(figure: HTMLElement): void {
  const pieces: readonly Piece[] = [...figure.querySelectorAll<HTMLElement>('[data-at]')].map((element) => ({
    element,
    atMs: Number(element.dataset.at),
  }));
  const begin = Math.min(...pieces.map(({ atMs }) => atMs)) - LEAD_MS;
  const end = Math.max(...pieces.map(({ atMs }) => atMs));
  const button = document.createElement('button');
  button.type = 'button';
  figure.querySelector('.controls')?.append(button);
  let frame: number | undefined;
  let startedMs = 0;

  const stop = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    figure.classList.remove('playing');
    button.textContent = 'Play the recording';
  };
  const show = (nowMs: number) => {
    const atMs = begin + nowMs - startedMs;
    for (const piece of pieces) piece.element.classList.toggle('shown', piece.atMs <= atMs);
    if (atMs > end) stop();
    else frame = requestAnimationFrame(show);
  };
  const play = () => {
    startedMs = performance.now();
    figure.classList.add('playing');
    button.textContent = 'Show everything';
    frame = requestAnimationFrame(show);
  };
  button.addEventListener('click', () => (frame === undefined ? play() : stop()));
  stop();
  if (matchMedia('(prefers-reduced-motion: no-preference)').matches) play();
}

const figure = document.getElementById('recording');
if (figure !== null) start(figure);
