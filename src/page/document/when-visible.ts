/** Work that is deferred until its element comes near the window, or the page is printed: it does not delay the first paint. */

/** ms after the page is loaded, when its charts are drawn. */
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
    // Each in a task of its own: the page answers between them.
    for (const { isIntersecting, target } of entries) if (isIntersecting) setTimeout(() => doNow(target));
  },
  { rootMargin: '400px' },
);

/** Settles when the page is loaded: charts delay it no more. */
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
    // Some browsers do not have it.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(work);
    else work();
  }, IDLE);
}

/** For printing: does all deferred work of elements in the document. */
export function doAllNow(): void {
  for (const place of [...waiting.keys()]) if (place.isConnected) doNow(place);
}

/** Drops the deferred work within an element that is removed. */
export function forget(within: Element): void {
  for (const place of [...waiting.keys()]) {
    if (!within.contains(place)) continue;
    waiting.delete(place);
    observer.unobserve(place);
  }
}
