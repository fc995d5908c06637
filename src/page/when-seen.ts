/** Work that waits until its element comes near the window, or the page is printed: the first paint does not wait for it. */

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
export function whenSeen(place: Element, work: () => void): void {
  waiting.set(place, work);
  observer.observe(place);
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
