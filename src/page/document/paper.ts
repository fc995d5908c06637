/** Paper: how wide it is, and what is done before and after it is printed on. */

/** CSS pixels: A4 less its margins, at 96 pixels an inch. */
export const PAPER_WIDTH = 660;

/** What the page shows only on paper; each element's work is asked for before printing, and undone after it. */
const works = new Map<Element, { readonly before: () => void; readonly after: () => void }>();

/** @param place of which the work is forgotten once it is in the document no more */
export function whenPrinted(place: Element, before: () => void, after: () => void): void {
  works.set(place, { before, after });
}

function forEach(act: 'before' | 'after'): void {
  for (const [place, work] of works) {
    if (place.isConnected) work[act]();
    else works.delete(place);
  }
}

/** Everything that is closed in the main part is open on paper. */
export function listenToPrinter(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    forEach('before');
    const closed = [...document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')];
    opened = [...opened, ...closed];
    for (const details of closed) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
    opened = [];
    forEach('after');
  });
}
