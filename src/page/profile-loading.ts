/** Reads whole profiles from the elements of the page, which are parsed only when they are shown. */
import type { JobIndex } from '../prof/html/job/job-data.js';
import type { PageProfile } from '../prof/html/page-data.js';
import { detailsId, OUTLINE_ID, type PageOutline, type PageProfileDetails } from '../prof/html/page-elements.js';

const isLoading = (): boolean => document.readyState === 'loading';

/** While the page is loading, elements after the program are not there yet. */
const loaded = new Promise<void>((done) => {
  if (isLoading()) document.addEventListener('DOMContentLoaded', () => done());
  else done();
});

/** An element that the browser is still parsing has no next sibling. */
const isWhole = (holder: HTMLElement | null): boolean => holder !== null && holder.nextSibling !== null;

/** @throws Error with one line when the page does not contain it, or not all of it */
export async function heldValue(id: string): Promise<unknown> {
  if (isLoading() && !isWhole(document.getElementById(id))) await loaded;
  const holder = document.getElementById(id);
  if (holder === null) throw new Error('it is not on the page');
  try {
    return JSON.parse(holder.textContent);
  } catch (error) {
    throw new Error('the page is cut off', { cause: error });
  }
}

const kept = new Map<string, Promise<unknown>>();

/** The same, but the parsed value is cached; its text, which may have many megabytes, is not. */
export function keptValue(id: string): Promise<unknown> {
  const known = kept.get(id);
  if (known !== undefined) return known;
  const value = heldValue(id);
  kept.set(id, value);
  // The caller handles a rejection.
  value.then(
    () => document.getElementById(id)?.remove(),
    () => undefined,
  );
  return value;
}

export const loadOutline = async (): Promise<PageOutline | JobIndex> =>
  (await keptValue(OUTLINE_ID)) as PageOutline | JobIndex;

/** @param at index on the page. @throws Error with one line when the page does not contain it */
export async function loadProfile({ profiles }: PageOutline, at: number): Promise<PageProfile> {
  const outline = profiles[at];
  if (outline === undefined) throw new Error('the page contains no profile');
  return { ...outline, ...((await keptValue(detailsId(at))) as PageProfileDetails) };
}
