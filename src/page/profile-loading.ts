/** Whole profiles out of the elements of the page, which are parsed only when they are shown. */
import type { PageProfile } from '../prof/html/page-data.js';
import { detailsId, OUTLINE_ID, type PageOutline, type PageProfileDetails } from '../prof/html/page-elements.js';
import { takeValue } from './document/held-values.js';

export const loadOutline = async (): Promise<PageOutline> => (await takeValue(OUTLINE_ID)) as PageOutline;

/** By index in the page. */
const details = new Map<number, Promise<unknown>>();

/** @param at index in the page. @throws Error with one line where the page does not hold it */
export async function loadProfile({ profiles }: PageOutline, at: number): Promise<PageProfile> {
  const outline = profiles[at];
  if (outline === undefined) throw new Error('the page holds no profile');
  const known = details.get(at) ?? takeValue(detailsId(at));
  details.set(at, known);
  return { ...outline, ...((await known) as PageProfileDetails) };
}
