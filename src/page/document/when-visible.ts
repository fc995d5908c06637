/** Work that waits until its element comes near the window, or the page is printed: the first paint does not wait for it. */

/** ms from the page on; by then its charts are drawn. */
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
    for (const { isIntersecting, target } of entries) if (isIntersecting) doNow(target);
  },
  { rootMargin: '400px' },
);

/** @param work is done once, when the element is nearly seen */
export function whenVisible(place: Element, work: () => void): void {
  waiting.set(place, work);
  observer.observe(place);
}

/** Does the work that waits at an element soon, when there is nothing else to do: it is wanted on paper, but takes long. */
export function whenIdle(place: Element): void {
  setTimeout(() => {
    const work = (): void => {
      if (place.isConnected) doNow(place);
    };
    // Not known to every browser.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(work);
    else work();
  }, IDLE);
}

/** For printing: all that is still to be done and stands in the document. */
export function doAllNow(): void {
  for (const place of [...waiting.keys()]) if (place.isConnected) doNow(place);
}

/** Forgets what waits within an element that goes away. */
export function forget(within: Element): void {
  for (const place of [...waiting.keys()]) {
    if (!within.contains(place)) continue;
    waiting.delete(place);
    observer.unobserve(place);
  }
}
