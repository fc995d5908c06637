/** The ranks of a page that have a timeline, and the choice of those that are shown together. Needs no document. */
import { elementAt } from '../../../containers/element.js';
import type { PageOutline } from '../../../prof/html/page-elements.js';
import type { PageTimeline } from '../../../prof/html/timeline/timeline-data.js';
import { rankNames } from '../../profile-labels.js';

export interface PageRank {
  readonly name: string;
  /** Index of its profile in the page. */
  readonly profile: number;
  readonly timeline: PageTimeline;
  /** As in the ranks of a `PageJob`; null where its clock could not be set against the others. */
  readonly clock: { readonly shift: number; readonly drift: number } | null;
  /** Whether its clock is known by the start of its profile alone. */
  readonly isByStart: boolean;
  readonly isLate: boolean;
}

/** In order of their ranks; files may be in another. */
export function pageRanks(data: Pick<PageOutline, 'profiles' | 'job'>): PageRank[] {
  const names = rankNames(data);
  const numberOf = ({ profile }: PageRank): number => data.profiles[profile]?.overview.header?.rank ?? Infinity;
  const ranks = data.profiles.flatMap(({ timeline }, profile) => {
    if (timeline === null) return [];
    const own = data.job?.ranks.filter((rank) => rank.profile === profile) ?? [];
    const [first] = own;
    const shift = first?.shift ?? null;
    return {
      ...{ name: elementAt(names, profile), profile, timeline },
      clock: shift === null ? null : { shift, drift: first?.drift ?? 0 },
      isByStart: first?.clock === 'start',
      isLate: own.some(({ isLate }) => isLate),
    };
  });
  return ranks.sort((a, b) => (numberOf(a) === numberOf(b) ? a.profile - b.profile : numberOf(a) - numberOf(b)));
}

/** More ranks than this are not drawn at once. */
export const MOST_RANKS = 64;

/** Indexes of profiles in rising order; 'all' for as many as can be drawn; null for the page's own rank alone. */
export type RankChoice = readonly number[] | 'all' | null;

/** The page's own rank first, then those that are late, then the others, each in order. */
export const byInterest = (ranks: readonly PageRank[], own: number): PageRank[] =>
  ranks.toSorted(
    (a, b) => Number(b.profile === own) - Number(a.profile === own) || Number(b.isLate) - Number(a.isLate),
  );

/** The ranks of a choice in order, the page's own among them; it alone where there is no other. @param own its profile */
export function chosenRanks(ranks: readonly PageRank[], own: number, choice: RankChoice): PageRank[] {
  const isChosen = ({ profile }: PageRank): boolean =>
    profile === own || choice === 'all' || choice?.includes(profile) === true;
  const drawn = new Set(byInterest(ranks.filter(isChosen), own).slice(0, MOST_RANKS));
  return ranks.filter((rank) => drawn.has(rank));
}

/** `0-3,8`. @param profiles in rising order */
function rankListText(profiles: readonly number[]): string {
  const spans: [first: number, last: number][] = [];
  for (const profile of profiles) {
    const last = spans.at(-1);
    if (last?.[1] === profile - 1) last[1] = profile;
    else spans.push([profile, profile]);
  }
  return spans.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}

/** The choice in an address, which anybody may have written; null where it is none. */
export function readRankChoice(text: string | undefined): RankChoice {
  if (text === undefined) return null;
  if (text === 'all') return 'all';
  if (!/^\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?){0,99}$/.test(text)) return null;
  const chosen = new Set<number>();
  for (const span of text.split(',')) {
    const [first = 0, last = first] = span.split('-').map(Number);
    for (let profile = first; profile <= last && chosen.size < MOST_RANKS; profile++) chosen.add(profile);
  }
  return [...chosen].sort((a, b) => a - b);
}

export const rankChoiceText = (choice: RankChoice): string | null =>
  choice === null || choice === 'all' ? choice : rankListText(choice);
