/** Findings of `dprof advise`: what to do, starting with the largest gain, and what to know about the profile. */
import { elementAt } from '../../containers/element.js';
import { lacking } from '../capture-hints.js';
import { rankNames } from '../profile-labels.js';
import { meaningOf } from '../../record/glossary.js';
import type { PageProfile } from '../../prof/html/page-data.js';
import type { FindingGroup, GroupGain } from '../../prof/advise/grouped-findings.js';
import { capitalised, quantityText } from '../document/units.js';
import { command, button, definitions, element, note, prose } from '../document/dom-elements.js';
import { counted } from '../../record/plural.js';
import { kernelsNumbered } from '../document/timeline-target.js';
import { timeLink, timelineLink } from '../document/timeline-link.js';
import { evidenceLine } from '../figures/evidence.js';
import { fieldsOf } from '../figures/field.js';
import { figure } from '../figures/figure.js';
import { listed, type Listed } from '../figures/listed-rows.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';

const SHOWN_AT_FIRST = 3;

/** Capitalises a string, unless it begins with the name of an op or a kernel. */
const sentence = (text: string): string => `${/^(?:the |[a-z]+,? [a-zA-Z])/.test(text) ? capitalised(text) : text}.`;

/** `2.8 % to 5.7 % of the span of each of devices 0 1: `; without devices when it applies to all, or there is only one. */
function shareOf(view: PanelView, { at, devices, shares }: Listed<FindingGroup>): (Node | string)[] {
  const [least, most] = shares.map((share, i) => figure({ name: `advice.${at}.shares.${i}`, value: share }, 'share'));
  const isOne = devices.length < 2 || least?.textContent === most?.textContent;
  const where = devices.length === 0 || view.profile.overview.devices.length < 2 ? '' : devicesText(devices);
  return [...(isOne ? [] : [least ?? '', ' to ']), most ?? '', ` of the span${where}: `];
}

const devicesText = (devices: readonly number[]): string =>
  devices.length === 1
    ? ` of device ${devices.join('')}`
    : ` of each of devices ${devices.slice(0, -1).join(', ')} and ${devices.at(-1) ?? ''}`;

/** A link to the most affected profile of a finding; empty when it is not on the page. */
function otherProfile({ data, choose }: PanelView, profile: number): (Node | string)[] {
  const at = data.profiles.findIndex(({ overview }) => overview.profile === profile);
  return at === -1 ? [] : [' ', button(`Show ${elementAt(rankNames(data), at)}`, () => void choose(at)), '.'];
}

/** Links to the longest time of a finding, and to the kernels that it names, in any step. */
function placesInTimeline(view: PanelView, { finding }: FindingGroup): (Node | string)[] {
  const { kernels, at, profile } = finding;
  if (profile !== view.profile.overview.profile) return otherProfile(view, profile);
  const span = at === undefined ? null : { from: at.start, to: at.end };
  const longest =
    span === null ? null : timeLink(view, `the longest, ${quantityText(span.to - span.from, 'ns')}`, span);
  // For gaps, these are the kernels that ended them.
  const which = longest === null ? (kernels.length === 1 ? 'the longest kernel' : `the ${kernels.length} longest`) : `the ${kernels.length === 1 ? 'kernel' : `${kernels.length} kernels`} after the longest`; // prettier-ignore
  // Events identify their profile by its profile line, so the number cannot be used without one.
  const isAlone = view.data.profiles.length === 1 || view.profile.overview.header === null;
  const condition = kernelsNumbered(kernels, profile, isAlone);
  const link = kernels.length === 0 ? null : timelineLink(view, which, condition);
  const links = [longest, link].filter((node) => node !== null);
  return links.length === 0
    ? []
    : [' Show ', ...links.flatMap((node, i) => (i === 0 ? [node] : [' or ', node])), ' in the timeline.'];
}

/** `76.1 s on device 2 (304 s summed over 4 devices)`: a gain is compared with the span of its device. */
function savedText(at: number, gain: GroupGain, over: string): (Node | string)[] {
  const fieldOf = fieldsOf(`advice.${at}.gain`, gain);
  const most = figure(fieldOf('ns'), 'ns');
  return gain.on === '' ? [most] : [most, ` on ${gain.on} (`, figure(fieldOf('sum'), 'ns'), ` ${over})`];
}

function shownOf(view: PanelView, group: Listed<FindingGroup>): HTMLElement {
  const { at, finding, devices, details, gain, count, over } = group;
  const { rule, action, see, evidence, kernels } = finding;
  const field = fieldsOf(`advice.${at}`, view.data.advice[at]);
  const facts = element(
    'p',
    { class: 'facts' },
    ...(gain === null ? [] : ['Could save ', gain.isBound ? 'up to ' : 'about ', ...savedText(at, gain, over), '. ']),
    'Affects ',
    figure(field('stake'), 'ns'),
    ' in ',
    figure(field('count'), 'count'),
    `${count === 1 ? ' activity' : ' activities'}${over === '' ? '' : `, ${over}`}`,
    gain === null ? '; gain unknown.' : '.',
    ...placesInTimeline(view, group),
  );
  const lines = [
    ...(gain === null ? [] : [['How the gain is computed', gain.how] as const]),
    ...Object.entries(evidence).map(([name, value]) => evidenceLine(name, value)),
    ...(kernels.length === 0 ? [] : [['Kernels', kernels.join(', ')] as const]),
  ];
  const place = devices.length > 1 ? `, device ${finding.device ?? 'unknown'}` : '';
  const heading = element('summary', {}, `Evidence and command (${rule}${place})`);
  return element(
    'li',
    {},
    element('h3', {}, ...shareOf(view, group), ...prose(group.what)),
    ...(details === '' ? [] : [element('p', {}, ...prose(sentence(details)))]),
    element('p', {}, sentence(action)),
    facts,
    element(
      'details',
      {},
      heading,
      element('dl', { class: 'evidence' }, ...definitions(lines)),
      command(see.replace(/\bFILE\b/, () => view.data.input)),
    ),
  );
}

/** The first items of a list; a button shows the others. */
function listOf(view: PanelView, groups: readonly Listed<FindingGroup>[]): Node[] {
  const list = element('ol', { class: 'advice' }, ...groups.map((group) => shownOf(view, group)));
  const hidden = [...list.children].slice(SHOWN_AT_FIRST) as HTMLElement[];
  for (const item of hidden) item.classList.add('later');
  const more = button(`Show all ${groups.length} findings`, () => {
    for (const item of hidden) item.classList.remove('later');
    more.remove();
  });
  return hidden.length > 0 ? [list, more] : [list];
}

/** Whether the profile is complete, and why not; null where everything that can be recorded is there. */
function checked({ verdict, reasons }: PageProfile['check']): HTMLElement | null {
  if (reasons.length === 0) return null;
  const items = reasons.map(({ level, check, what, affects, remedy }) =>
    element(
      'li',
      {},
      element('h3', { title: check }, `${capitalised(level)}: ${what}`),
      element('p', {}, `Affects: ${affects}.`),
      ...(remedy === null ? [] : [element('p', {}, `Remedy: ${remedy}.`)]),
    ),
  );
  return element(
    'details',
    { class: 'about' },
    element(
      'summary',
      { title: meaningOf('completeness') },
      `Completeness: ${verdict} (${counted(reasons.length, verdict === 'complete' ? 'limit' : 'reason')})`,
    ),
    element('ol', { class: 'advice' }, ...items),
  );
}

/** Findings about the program; below them, findings about profiling, collapsed unless they are the only ones. */
function make(view: PanelView): PanelContent {
  const { data, profile } = view;
  const { profile: number, devices } = profile.overview;
  const groups = listed(data.advice).filter(({ profiles }) => profiles.includes(number));
  const others = data.advice.length - groups.length;
  const elsewhere =
    others === 0
      ? []
      : [note(`${counted(others, 'finding')} of this page ${others === 1 ? 'is' : 'are'} about other profiles.`)];
  if (groups.length === 0 && devices.length === 0) return lacking(view, 'work');
  const about = [checked(profile.check)].filter((part) => part !== null);
  if (groups.length === 0) {
    const nothing = 'No rule found anything worth changing.';
    if (others > 0) return [...elsewhere, ...about];
    return about.length === 0 ? nothing : [note(nothing), ...about];
  }
  const program = groups.filter(({ finding }) => finding.about === 'program');
  const recording = groups.filter(({ finding }) => finding.about === 'profile');
  const folded = element(
    'details',
    // Without advice on the program, what the profile lacks is what to do.
    { class: 'about', open: program.length === 0 },
    element('summary', {}, `About this profile (${recording.length})`),
    ...listOf(view, recording),
  );
  const several = note('FILE in a command stands for the input.');
  return [
    ...(program.length > 0 ? listOf(view, program) : [note('No rule found anything to change in the program.')]),
    ...(recording.length > 0 ? [folded] : []),
    ...about,
    ...(data.input === 'FILE' ? [several] : []),
    ...elsewhere,
  ];
}

export const ADVICE: Panel = { id: 'advice', title: 'What to do', width: 3, isTall: true, make, command: 'advise' };
