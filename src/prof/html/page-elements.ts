/**
 * The data of a page as elements of its document. What the page needs of all profiles at once comes before its program,
 * with all of the profile that it opens with; the rest is behind it, and parsed when it is shown: so a page of many ranks
 * is there as soon as that of one.
 */
import { openedAtFirst } from './opened-profile.js';
import type { PageContents, PageData, PageProfile } from './page-data.js';

/** What labels of a profile, its row beside those of others, and the choice of its events need. */
export type ProfileOutline = Pick<PageProfile, 'overview' | 'isGraphCapture' | 'idle' | 'timeline' | 'monitor'>;
export type PageProfileDetails = Omit<PageProfile, keyof ProfileOutline>;

/** The data without the details of its profiles. */
export interface PageOutline extends Omit<PageData, 'profiles'> {
  readonly profiles: readonly ProfileOutline[];
  /** Index of the profile that is shown first. */
  readonly opened: number;
}

export const OUTLINE_ID = 'data';

/** Id of the element with the details of a profile. @param at its index in the page */
export const detailsId = (at: number): string => `profile-${at}`;

/** A value with the id of its element. */
interface PageElement {
  readonly id: string;
  readonly value: unknown;
}

/** Elements before and behind the program, in order. */
export interface PageElements {
  readonly before: readonly PageElement[];
  readonly behind: readonly PageElement[];
}

export function pageElements({ data, parts }: PageContents): PageElements {
  const opened = openedAtFirst(data.profiles);
  const split = data.profiles.map(splitProfile);
  const outline: PageOutline = { ...data, profiles: split.map((one) => one.outline), opened };
  const details = split.map((one, at) => ({ id: detailsId(at), value: one.details }));
  return {
    before: [...details.slice(opened, opened + 1), { id: OUTLINE_ID, value: outline }],
    behind: [...details.filter((_, at) => at !== opened), ...parts],
  };
}

function splitProfile(profile: PageProfile): {
  readonly outline: ProfileOutline;
  readonly details: PageProfileDetails;
} {
  const { overview, isGraphCapture, idle, timeline, monitor, ...details } = profile;
  return { outline: { overview, isGraphCapture, idle, timeline, monitor }, details };
}
