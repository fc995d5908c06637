/**
 * Delays work on elements: until they are near the window, so that it does not delay the first paint, or until the page is
 * printed.
 */

/** Width in CSS pixels: A4 without its margins, at 96 pixels per inch. */
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

/** Runs the callbacks when the page is printed, with all closed details in the main part open meanwhile. */
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

/** Time in ms after the page is loaded when its charts are drawn. */
const IDLE = 1000;

const waiting = new Map<Element, () => void>();

function doNow(place: Element): void {
  const work = waiting.get(place);
  waiting.delete(place);
  observer.unobserve(place);
  work?.();
}

const observer = new IntersectionObserver(
  (entries) => {
    // Each callback runs in a separate task, so that the page can respond in between.
    for (const { isIntersecting, target } of entries) if (isIntersecting) setTimeout(() => doNow(target));
  },
  { rootMargin: '400px' },
);

/** Settles when the page is loaded, so that charts no longer delay it. */
const loaded = new Promise<void>((done) => {
  if (document.readyState === 'complete') done();
  else addEventListener('load', () => done());
});

/** @param work called once, when the page is loaded and the element is visible or near the window */
export function whenVisible(place: Element, work: () => void): void {
  waiting.set(place, work);
  void loaded.then(() => {
    if (waiting.has(place)) observer.observe(place);
  });
}

/** Does an element's deferred work as soon as the browser is idle: for work that takes too long to start when printing. */
export function whenIdle(place: Element): void {
  setTimeout(() => {
    const work = (): void => {
      if (place.isConnected) doNow(place);
    };
    // Some browsers do not have `requestIdleCallback`.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(work);
    else work();
  }, IDLE);
}

/** Does all deferred work of elements in the document, for printing. */
export function doAllNow(): void {
  for (const place of [...waiting.keys()]) if (place.isConnected) doNow(place);
}

/** Drops the deferred work in an element that is removed. */
export function forget(within: Element): void {
  for (const place of [...waiting.keys()]) {
    if (!within.contains(place)) continue;
    waiting.delete(place);
    observer.unobserve(place);
  }
}
