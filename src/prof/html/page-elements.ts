/**
 * The data of a page as elements of its document. The data that the page needs at once comes before its program, with
 * all data of the profile that is shown first. The rest comes after the program and is parsed when it is shown, so that
 * a page of many ranks opens as fast as a page of one rank.
 */
import type { PageContents, PageData, PageProfile } from './page-data.js';
import { elementAt } from '../../containers/element.js';

/**
 * Minimum ratio to the work of the busiest profile. Ranks of a job do about the same amount of work; a graph capture
 * usually has almost no other work.
 */
const MUCH = 0.5;

/**
 * Index of the first profile with at least half of the device work of the busiest one; graph captures count only when no
 * run has work. 0 without profiles.
 */
export function openedAtFirst(profiles: readonly Pick<PageProfile, 'overview' | 'isGraphCapture'>[]): number {
  const busy = profiles.map(({ overview }) =>
    overview.devices.reduce((sum, { busy, compute }) => sum + (busy ?? compute), 0),
  );
  const hasRun = profiles.some(({ isGraphCapture }, at) => !isGraphCapture && elementAt(busy, at) > 0);
  const work = profiles.map(({ isGraphCapture }, at) => (hasRun && isGraphCapture ? 0 : elementAt(busy, at)));
  const most = work.reduce((a, b) => Math.max(a, b), 0);
  return Math.max(
    0,
    work.findIndex((time) => time >= MUCH * most),
  );
}

/**
 * The parts of a profile that are needed for its labels, its row among other profiles, and the selection of its events.
 */
export type ProfileOutline = Pick<
  PageProfile,
  'overview' | 'isGraphCapture' | 'verdict' | 'idle' | 'timeline' | 'monitor'
>;
export type PageProfileDetails = Omit<PageProfile, keyof ProfileOutline>;

/** The file of a profile, or for a profile from a pipe the tool that wrote it; null when neither is known. */
export function profileName(header: PageProfile['overview']['header']): string | null {
  if (header === null) return null;
  return header.file === '-' || header.file === 'stdin' ? header.tool : header.file;
}

/** The data without the details of its profiles. */
export interface PageOutline extends Omit<PageData, 'profiles'> {
  readonly profiles: readonly ProfileOutline[];
  /** Index of the profile that is shown first. */
  readonly opened: number;
}

export const OUTLINE_ID = 'data';

/**
 * Id of the element with the details of a profile.
 * @param at index of the profile in the page
 */
export const detailsId = (at: number): string => `profile-${at}`;

/** A value with the id of its element. */
interface PageElement {
  readonly id: string;
  readonly value: unknown;
}

/** Elements before and after the program, in order. */
interface PageElements {
  readonly before: readonly PageElement[];
  readonly behind: readonly PageElement[];
}

export function pageElements({ data, parts }: PageContents): PageElements {
  const opened = openedAtFirst(data.profiles);
  const split = data.profiles.map(splitProfile);
  const outline: PageOutline = { ...data, profiles: split.map((profile) => profile.outline), opened };
  const details = split.map((profile, at) => ({ id: detailsId(at), value: profile.details }));
  return {
    before: [...details.slice(opened, opened + 1), { id: OUTLINE_ID, value: outline }],
    behind: [...details.filter((_, at) => at !== opened), ...parts],
  };
}

function splitProfile(profile: PageProfile): {
  readonly outline: ProfileOutline;
  readonly details: PageProfileDetails;
} {
  const { overview, isGraphCapture, verdict, idle, timeline, monitor, ...details } = profile;
  return { outline: { overview, isGraphCapture, verdict, idle, timeline, monitor }, details };
}
