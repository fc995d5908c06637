/**
 * The data of a page as elements of its document. What the page needs of all profiles at once comes before its program,
 * with all of the profile that it opens with; the rest is behind it, and parsed when it is shown: so a page of many ranks
 * is there as soon as that of one.
 */
import type { PageContents, PageData, PageProfile } from './page-data.js';
import { elementAt } from '../../containers/element.js';

/** Ranks of a job do about as much; what a capture of a graph does besides is next to nothing mostly. */
const MUCH = 0.5;

/**
 * Index of the first profile with at least half of the most work on devices, of those that are no captures of graphs where
 * there is one; 0 without any.
 */
export function openedAtFirst(profiles: readonly Pick<PageProfile, 'overview' | 'isGraphCapture'>[]): number {
  const busy = profiles.map(({ overview }) => overview.devices.reduce((sum, device) => sum + device.busy, 0));
  const hasRun = profiles.some(({ isGraphCapture }, at) => !isGraphCapture && elementAt(busy, at) > 0);
  const work = profiles.map(({ isGraphCapture }, at) => (hasRun && isGraphCapture ? 0 : elementAt(busy, at)));
  const most = work.reduce((a, b) => Math.max(a, b), 0);
  return Math.max(
    0,
    work.findIndex((own) => own >= MUCH * most),
  );
}

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
interface PageElements {
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
