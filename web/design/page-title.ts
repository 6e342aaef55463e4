let page = 'svc';
let activity = '';

/** Sets the title of the browser tab to that of a page. */
export function setPageTitle(title: string): void {
  page = `${title} · svc`;
  show();
}

/** Sets what stands before the title of the page: "2 running". Empty: nothing. */
export function setTitleActivity(words: string): void {
  activity = words;
  show();
}

function show(): void {
  document.title = activity === '' ? page : `${activity} · ${page}`;
}
