/** Printing: the width of the paper, and changes of the page before and after it. */

/** CSS pixels: A4 without its margins, at 96 pixels an inch. */
export const PAPER_WIDTH = 660;

const callbacks = new Map<Element, (onPaper: boolean) => void>();

/**
 * Calls back before and after printing.
 * @param place the callback is dropped once this element is no longer in the document
 * @param print called with true before printing, with false after it
 */
export function whenPrinted(place: Element, print: (onPaper: boolean) => void): void {
  callbacks.set(place, print);
}

function callAll(onPaper: boolean): void {
  for (const [place, print] of callbacks) {
    if (place.isConnected) print(onPaper);
    else callbacks.delete(place);
  }
}

/** Runs the callbacks when the page is printed, and opens the closed details of the main part meanwhile. */
export function listenToPrinter(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    callAll(true);
    const closed = [...document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')];
    opened = [...opened, ...closed];
    for (const details of closed) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
    opened = [];
    callAll(false);
  });
}
