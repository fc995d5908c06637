/** The profiles of a page compared: which rank is slow, and where. */
import type { PageJob } from '../../prof/html/page-data.js';
import { grouped } from '../../record/plural.js';
import { command } from '../document/copy-button.js';
import { note } from '../document/dom-elements.js';
import { withName } from '../document/fragment.js';
import { showRanks, showTime, timelineLink } from '../document/timeline-link.js';
import { isInTimeline } from '../document/timeline-target.js';
import type { JobLinks } from '../figures/ranks/heat-map.js';
import { jobSections } from '../figures/ranks/job-sections.js';
import { profileComparison } from '../figures/ranks/profile-comparison.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { rankNames } from '../profile-labels.js';
import { byInterest, pageRanks, type PageRank } from '../timeline/pieces/page-ranks.js';

/** Shows a rank, at a step: in the timeline where the page has that, else where the time of its steps went. */
async function openRank(
  view: PanelView,
  { profile: at, device }: PageJob['ranks'][number],
  step: number | null,
): Promise<void> {
  const profile = at === null ? null : await view.choose(at);
  if (at === null || profile === null) return;
  const bar = profile.stepBars.shown.find((one) => one.step === step && one.device === device);
  const span = bar === undefined ? null : { from: bar.start, to: bar.start + bar.span };
  if (span !== null && isInTimeline({ profile, at }, span)) showTime({ profile, at }, span, { 't.ranks': null });
  else location.hash = withName(location.hash, 'panel', step === null ? 'verdict' : 'steps');
}

/** Shows a rank first: the link is to its timeline. */
function findIn(
  { data, choose }: PanelView,
  { profile: at }: PageJob['ranks'][number],
  text: string,
  condition: string,
): HTMLElement | null {
  const profile = at === null ? undefined : data.profiles[at];
  if (at === null || profile === undefined) return null;
  const link = timelineLink({ profile, at }, text, condition);
  link?.addEventListener('click', () => void choose(at), { capture: true });
  return link;
}

/** All ranks at a step: the times are those of the shown rank where it has the step, else of the first that has it. */
function openAllOf(view: PanelView): JobLinks['openAll'] {
  const ranks = pageRanks(view.data);
  if (ranks.length < 2) return null;
  const open = async (step: number | null): Promise<void> => {
    const name = step === null ? null : `step ${step}`;
    const pieceOf = ({ timeline: { pieces } }: PageRank): number =>
      name === null ? 0 : pieces.findIndex((piece) => piece.name === name || piece.name.startsWith(`${name},`));
    const found = byInterest(ranks, view.at).find((rank) => pieceOf(rank) !== -1);
    if (found === undefined) return;
    if (found.profile !== view.at) await view.choose(found.profile);
    showRanks(found.profile, pieceOf(found));
  };
  return (step) => void open(step);
}

/** Which profiles the page holds, where those are not all. */
function leftOutOf({ profiles, leftOut }: PanelView['data']): HTMLElement[] {
  if (leftOut === 0) return [];
  const of = grouped(profiles.length + leftOut);
  const which =
    'those that are late, were delayed or delay others most, the slowest, some around the median, and a sample';
  const text = `The page holds ${grouped(profiles.length)} of ${of} profiles: ${which}. The others are rows of the tables of ranks here; their names lead nowhere. A page of any of them:`;
  return [note(text), command('dprof html FILE -o PAGE')];
}

function make(view: PanelView): PanelContent {
  const { profiles, job } = view.data;
  if (profiles.length < 2 && job === null)
    return 'The page holds one profile: there is nothing to compare. dparse takes several files.';
  const sections =
    job === null
      ? []
      : jobSections(job, {
          open: (rank, step) => void openRank(view, rank, step),
          openAll: openAllOf(view),
          find: (rank, text, condition) => findIn(view, rank, text, condition),
        });
  const isOne = profiles.length < 2;
  return [
    ...leftOutOf(view.data),
    ...sections,
    ...(isOne ? [] : [profileComparison(view.data.profiles, rankNames(view.data), view.at, view.choose)]),
  ];
}

export const RANKS: Panel = { id: 'ranks', title: 'Ranks compared', width: 6, make };
