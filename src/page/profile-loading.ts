/** Whole profiles out of the elements of the page, which are parsed only when they are shown. */
import type { JobIndex } from '../prof/html/job/job-data.js';
import type { PageProfile } from '../prof/html/page-data.js';
import { detailsId, OUTLINE_ID, type PageOutline, type PageProfileDetails } from '../prof/html/page-elements.js';
import { keptValue } from './document/held-values.js';

export const loadOutline = async (): Promise<PageOutline | JobIndex> =>
  (await keptValue(OUTLINE_ID)) as PageOutline | JobIndex;

/** @param at index in the page. @throws Error with one line where the page does not hold it */
export async function loadProfile({ profiles }: PageOutline, at: number): Promise<PageProfile> {
  const outline = profiles[at];
  if (outline === undefined) throw new Error('the page holds no profile');
  return { ...outline, ...((await keptValue(detailsId(at))) as PageProfileDetails) };
}
