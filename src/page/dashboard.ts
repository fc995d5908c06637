/** The dashboard: header, tabs, and the panels of the chosen profile. */
import { elementAt } from '../containers/element.js';
import { deviceWords, DOUBT_MEANINGS, inDeviceWords } from '../record/glossary.js';
import { grouped } from '../record/plural.js';
import { capitalised } from './document/units.js';
import type { PageProfile } from '../prof/html/page-data.js';
import type { PageOutline } from '../prof/html/page-elements.js';
import { drawForPaper } from './charts/chart.js';
import { command, element, note, select } from './document/dom-elements.js';
import { readFragment } from './document/fragment.js';
import { keepChoice, keepName } from './document/kept-choice.js';
import { panelLink } from './document/panel-link.js';
import { ACTIVITY } from './panels/activity-panel.js';
import { ADVICE } from './panels/advice-panel.js';
import { ANNOTATIONS } from './panels/annotations-panel.js';
import { CATEGORIES, SEQUENCES } from './panels/kernels/categories-panel.js';
import { COLLECTIVES } from './panels/collectives-panel.js';
import { DEVICES } from './panels/devices-panel.js';
import { DIAGNOSTICS } from './panels/diagnostics-panel.js';
import { FIGURES } from './panels/figures-panel.js';
import { FLAME } from './panels/flame-panel.js';
import { KERNELS } from './panels/kernels/kernels-panel.js';
import { HOST_CPU } from './panels/host-cpu-panel.js';
import { IDLE } from './panels/time/idle-panel.js';
import { LARGEST } from './panels/kernels/largest-panel.js';
import { LINES } from './panels/kernels/lines-panel.js';
import { LAYERS } from './panels/layers-panel.js';
import { MATRIX_UNIT, PRECISION } from './panels/matrix-unit-panel.js';
import { MEMORY, MEMORY_OPERATIONS } from './panels/memory-panel.js';
import { OPS } from './panels/kernels/ops-panel.js';
import { PROFILES } from './panels/profiles-panel.js';
import { MONITOR, NEURON, PROGRAM } from './panels/neuron/neuron-panel.js';
import { hasRanks, RANKS } from './panels/ranks-panel.js';
import { REGIONS } from './panels/regions-panel.js';
import { ROOFLINE } from './panels/kernels/roofline-panel.js';
import { STEPS } from './panels/time/steps-panel.js';
import { hasTimeline, loadPiece, TIMELINE } from './panels/timeline-panel.js';
import { VERDICT } from './panels/time/verdict-panel.js';
import { UTILISATION } from './panels/time/utilisation-panel.js';
import { listenToPrinter } from './document/when-visible.js';
import type { Panel, PanelContent, PanelView } from './panel.js';
import { deviceTexts, rankNames } from './profile-labels.js';
import { loadProfile } from './profile-loading.js';
import { dropSpan, isSameSpan, optionsFor, readChosenSpan, SpanBar, type ShownSpan } from './span/chosen-span.js';
import { piecesOfSpan } from './span/span-events.js';
import { SpanSums, type SpanProfile } from './span/span-profile.js';
import { Tabs } from './tabs.js';
import { loadEvents } from './timeline/events/events.js';
import type { SelectedSpan } from './timeline/model/view.js';
import { themeButton } from './document/theme.js';

interface PanelTab {
  readonly id: string;
  readonly title: string;
  /** Its title where the profile lacks what `title` names. */
  readonly titleFor?: (view: Omit<PanelView, 'span'>) => string;
  readonly panels: readonly Panel[];
  /** Whether any of its panels has something to show; without this function the tab is always shown. */
  readonly hasContent?: (view: Omit<PanelView, 'span'>) => boolean;
}

/** State of the dashboard: the whole profile, and the span that its panels follow. */
interface DashboardView extends Omit<PanelView, 'span'> {
  readonly span: ShownSpan | null;
}

/** Hints about the data that a Neuron capture lacks, because its empty panels are left out. */
const LACKED: Panel = {
  ...{ id: 'lacked', title: 'Not in this capture', width: 6 },
  isFor: ({ profile }) => profile.neuron !== null,
  make: (view) => {
    const panels = TABS.flatMap((tab) => tab.panels).filter(
      // The timeline's content is a single element, which is already in its place.
      (panel) => panel !== LACKED && panel !== TIMELINE && (panel.isFor?.(view) ?? true),
    );
    const lacks = panels.flatMap(({ title, make }) => {
      const content = make(view);
      return typeof content === 'string' ? [`${title}: ${content}`] : [];
    });
    return lacks.length === 0 ? 'Nothing.' : [element('ul', {}, ...lacks.map((text) => element('li', {}, text)))];
  },
};

/** On Neuron, where empty panels are left out, the tab may have only the compiled program. */
const layersTitle = ({ profile: { overview, layers, neuron } }: Omit<PanelView, 'span'>): string =>
  neuron !== null && overview.program !== null && layers.shown.length + (overview.host?.layers.length ?? 0) === 0
    ? 'Program'
    : 'Layers';

const TABS: readonly PanelTab[] = [
  {
    id: 'overview',
    title: 'Overview',
    panels: [MONITOR, VERDICT, LARGEST, ADVICE, FIGURES, PROFILES, NEURON, UTILISATION, STEPS, IDLE, DEVICES],
  },
  { id: 'timeline', title: 'Timeline', panels: [TIMELINE], hasContent: hasTimeline },
  {
    id: 'kernels',
    title: 'Kernels',
    panels: [
      OPS,
      KERNELS,
      CATEGORIES,
      ROOFLINE,
      SEQUENCES,
      PRECISION,
      MATRIX_UNIT,
      ACTIVITY,
      MEMORY_OPERATIONS,
      COLLECTIVES,
    ],
    hasContent: ({ profile: { overview, kernels, ops, collectives } }) =>
      overview.devices.length > 0 ||
      overview.memory.length > 0 ||
      kernels.shown.length > 0 ||
      collectives.count > 0 ||
      ops.shown.some(({ op }) => op !== null),
  },
  {
    id: 'layers',
    title: 'Layers',
    titleFor: layersTitle,
    panels: [PROGRAM, LAYERS, LINES, FLAME, ANNOTATIONS, REGIONS],
    hasContent: ({ profile: { overview, layers, stacks, annotations, regions } }) =>
      overview.program !== null ||
      layers.shown.length > 0 ||
      (overview.host?.layers.length ?? 0) > 0 ||
      stacks !== null ||
      annotations.shown.length > 0 ||
      regions === null,
  },
  { id: 'memory', title: 'Memory', panels: [MEMORY], hasContent: ({ profile }) => profile.memory.length > 0 },
  {
    id: 'ranks',
    title: 'Ranks',
    titleFor: ({ data }) => (hasRanks(data) ? 'Ranks' : 'CPU cores'),
    panels: [RANKS, HOST_CPU],
    hasContent: ({ data }) => hasRanks(data) || data.profiles.some(({ overview }) => overview.cpu !== null),
  },
  { id: 'diagnostics', title: 'Diagnostics', panels: [DIAGNOSTICS, LACKED] },
];

/** The tabs that have something to show. Hints about data that the other tabs lack are at the end of the last tab. */
function tabsFor(view: DashboardView): PanelTab[] {
  const shown = TABS.filter(({ hasContent }) => hasContent?.(view) ?? true).map((tab) => ({
    ...tab,
    title: tab.titleFor?.(view) ?? tab.title,
  }));
  const missing = TABS.filter((tab) => !shown.some(({ id }) => id === tab.id)).flatMap(({ panels }) => panels);
  return shown.map((tab, i) => (i < shown.length - 1 ? tab : { ...tab, panels: [...tab.panels, ...missing] }));
}

/** What a panel says that cannot follow the span, and the command that does. */
function ofWholeProfile({ command: name }: Panel, { data }: PanelView, span: SelectedSpan): HTMLElement[] {
  const said = note('For the whole profile, not this span.');
  // Times of a span count from the start of one profile.
  if (name === undefined || data.profiles.length > 1) return [said];
  said.append(' For the span:');
  return [said, command(`dprof ${name} ${optionsFor(span)} ${data.input}`)];
}

/**
 * The contents of a panel for the selected span, if the panel can follow the span. Otherwise the panel says that it
 * shows the whole profile.
 */
function contentOf(panel: Panel, { span, ...view }: DashboardView): PanelContent {
  const { make, follows, marksSpan = false } = panel;
  if (span === null || span.data === null || marksSpan) return make({ ...view, span: null });
  if (follows?.(view.profile, span.data.profile) === true) {
    const content = make({ ...view, profile: span.data.profile, span });
    return typeof content === 'string' ? 'No data in this span.' : content;
  }
  const whole = { ...view, span: null };
  const content = make(whole);
  return typeof content === 'string' ? content : [...ofWholeProfile(panel, whole, span), ...content];
}

type Header = PageProfile['overview']['header'];

/** Elements with names of the profiled program, or with columns and conditions. Their text is not changed. */
const NAMED = 'td, th[scope="row"], code, pre, input, .box, .tl-help';
const WORDED_ATTRIBUTES = ['title', 'aria-label'];

/**
 * Replaces words in all text of an element, including text that panels set later, by the terms of the shown profile's
 * vendor. For example, a page of Neuron says instructions instead of kernels.
 * @returns sets the profile's header
 */
function wordTexts(place: HTMLElement): (header: Header) => void {
  let shown: Header = null;
  const word = (node: Node): void => {
    const parent = node instanceof Element ? node : node.parentElement;
    if (parent?.closest(NAMED) !== null) return;
    if (node instanceof Text) {
      const worded = inDeviceWords(node.data, shown);
      if (worded !== node.data) node.data = worded;
      return;
    }
    for (const name of WORDED_ATTRIBUTES) {
      const text = parent.getAttribute(name) ?? '';
      const worded = inDeviceWords(text, shown);
      if (worded !== text) parent.setAttribute(name, worded);
    }
    for (const child of node.childNodes) word(child);
  };
  const observer = new MutationObserver((changes) => {
    for (const { target, type, addedNodes } of changes)
      for (const node of type === 'childList' ? addedNodes : [target]) word(node);
  });
  return (header) => {
    shown = header;
    observer.disconnect();
    if (deviceWords(header).work === 'kernel') return;
    const attributes = { attributes: true, attributeFilter: WORDED_ATTRIBUTES };
    observer.observe(place, { subtree: true, childList: true, characterData: true, ...attributes });
  };
}

function panelOf(panel: Panel, view: DashboardView): HTMLElement {
  const { id, title, width, isTall = false } = panel;
  const content = contentOf(panel, view);
  const heading = element('h2', { id: `panel-${id}`, tabindex: -1 }, title);
  const isMissing = typeof content === 'string';
  return element(
    'section',
    {
      class: `panel wide-${width}${isTall ? ' tall' : ''}${isMissing ? ' empty' : ''}`,
      'data-panel': id,
      'aria-labelledby': `panel-${id}`,
    },
    heading,
    ...(isMissing ? [element('p', { class: 'missing' }, content)] : content),
  );
}

/** Scrolls to a panel in the current tab, and gives it the focus. */
function goTo(id: string): void {
  const heading = document.getElementById(`panel-${id}`);
  heading?.closest('.panels')?.classList.add('laid-out');
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}

/**
 * The panels of a tab, empty ones last; if there are several, links to them are above. A Neuron capture has no empty
 * panels next to others, because the user could not record data for them.
 */
function contentsOf({ title, panels: all }: PanelTab, view: DashboardView): HTMLElement {
  const fitting = all.filter(({ isFor }) => isFor?.({ ...view, span: null }) ?? true);
  // A monitor's reports are not a profile, so panels about kernels and devices would all be empty.
  const panels = view.profile.monitor !== null && fitting.includes(MONITOR) ? [MONITOR] : fitting;
  const made = panels.map((panel) => ({ panel, place: panelOf(panel, view) }));
  const isEmpty = ({ place }: (typeof made)[number]): boolean => place.classList.contains('empty');
  const filled = made.filter((entry) => !isEmpty(entry));
  const hasOnlyFilled = view.profile.neuron !== null && filled.length > 0;
  const ordered = hasOnlyFilled ? filled : [...filled, ...made.filter(isEmpty)];
  const items = ordered.map(({ panel }) => element('li', {}, panelLink(panel.id, panel.title)));
  const list = element('nav', { 'aria-label': `Panels of ${title}` }, element('ol', {}, ...items));
  const places = element('div', { class: 'panels' }, ...ordered.map(({ place }) => place));
  return element('div', {}, ...(ordered.length > 1 ? [list] : []), places);
}

/** Subtitle with the profiler, the shown profile where there are several, and the devices. */
function about({ data, profile, at }: DashboardView): string {
  const { header } = profile.overview;
  const shown =
    data.profiles.length > 1
      ? [`${elementAt(rankNames(data), at)} of ${data.profiles.length + data.leftOut} profiles`]
      : [];
  if (header === null) return 'Records without a profile line';
  const list = deviceTexts(header.devices, new Set(profile.overview.devices.map(({ device }) => device)));
  return [header.tool ?? header.format, ...shown, ...list].join(' · ');
}

const chosenAtFirst = (data: PageOutline): number => {
  const wanted = Number(readFragment(location.hash).get('profile') ?? NaN);
  return data.profiles[wanted] === undefined ? data.opened : wanted;
};

/** A line about losses or doubts: `Figures are incomplete: rows with a value of the wrong type (cell unknown): 63, net.sqlite.` */
const doubtText = ({ level, text, count, profiles, file }: PageOutline['doubts'][number]): string =>
  `${capitalised(DOUBT_MEANINGS[level])}: ${text}: ${grouped(count)}, ${profiles === 1 ? file : `in ${grouped(profiles)} profiles, ${file} first`}.`;

/** The data of a profile within a span; null when the page does not hold each of its events. */
async function dataOfSpan(profile: PageProfile, at: number, span: SelectedSpan): Promise<SpanProfile | null> {
  const pieces = profile.timeline === null ? null : piecesOfSpan(profile.timeline, span);
  if (pieces === null) return null;
  const sums = new SpanSums(profile, span);
  // Spans are read one after the other, because each may take much memory.
  for (const { piece, from, to } of pieces)
    sums.take({ from, to, events: await loadEvents(await loadPiece(at, piece)) });
  return sums.result;
}

/** Fills the page's root element. */
export async function showDashboard(root: HTMLElement, data: PageOutline): Promise<void> {
  const main = element('main', { id: 'main', tabindex: -1 });
  const wordsOf = wordTexts(main);
  const subtitle = element('p', { class: 'subtitle' });
  const picker = element('div', { class: 'picker' });

  let view: DashboardView | null = null;
  const tabs = new Tabs(
    'Parts of the page',
    TABS.map((tab) => ({
      ...{ id: tab.id, title: tab.title },
      make: () => {
        const shown = view === null ? undefined : tabsFor(view).find(({ id }) => id === tab.id);
        return view === null || shown === undefined ? element('div') : contentsOf(shown, view);
      },
    })),
  );
  const bar = new SpanBar();
  const names = rankNames(data);
  /** Number of the newest choice, because another profile or span may be chosen while one is read. */
  let newest = 0;
  const choose = async (at: number): Promise<PageProfile | null> => {
    const turn = ++newest;
    let profile: PageProfile;
    let span: ShownSpan | null;
    try {
      profile = await loadProfile(data, at);
      const chosen = readChosenSpan(location.hash);
      span = chosen === null ? null : { ...chosen, data: await dataOfSpan(profile, at, chosen) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (turn === newest) main.replaceChildren(element('p', { class: 'missing' }, `Nothing to show: ${why}.`));
      return null;
    }
    if (turn !== newest) return null;
    view = { data, profile, at, span, choose: change };
    const { header } = profile.overview;
    wordsOf(header);
    tabs.offer(tabsFor(view).map(({ id, title }) => ({ id, title: inDeviceWords(title, header) })));
    main.replaceChildren(...tabs.places);
    subtitle.textContent = about(view);
    main.dataset['profile'] = String(at);
    bar.show(profile, span, names.length > 1 ? elementAt(names, at) : '', data.input);
    tabs.restart();
    const box = picker.querySelector('select');
    if (box !== null) box.value = String(at);
    return profile;
  };
  const change = (at: number): Promise<PageProfile | null> => {
    // A span belongs to one profile.
    dropSpan();
    keepChoice('profile', at, data.opened);
    return choose(at);
  };
  const first = chosenAtFirst(data);
  if (data.profiles.length > 1) {
    const choices = names.map((name, at) => [at, name] as const);
    const isRanks = names.every((name) => /^rank \d+$/.test(name));
    picker.append(select(isRanks ? 'Rank' : 'Profile', choices, first, (at) => void change(at)));
    if (data.leftOut > 0) picker.append(` ${grouped(names.length)} of ${grouped(names.length + data.leftOut)}`);
  }

  const skip = element('a', { class: 'skip', href: '#main' }, 'Skip to the figures');
  skip.addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  const header = element(
    'header',
    {},
    element('div', { class: 'titles' }, element('h1', {}, data.title), subtitle),
    element('div', { class: 'controls' }, picker, themeButton()),
  );
  const footer = element(
    'footer',
    {},
    `Written by ${data.tool.name} ${data.tool.version}. The file is self-contained.`,
  );
  const doubts = data.doubts.map(doubtText);
  const lost = doubts.length === 0 ? [] : [element('p', { class: 'doubts', role: 'note' }, doubts.join(' '))];
  const top = element('div', { class: 'top' }, tabs.bar, bar.place);
  root.replaceChildren(skip, header, ...lost, top, main, footer);
  await choose(first);
  drawForPaper();
  listenToPrinter();
  const follow = (): void => {
    const panel = readFragment(location.hash).get('panel');
    if (panel === undefined || view === null) return;
    const tab = tabsFor(view).find(({ panels }) => panels.some(({ id }) => id === panel));
    if (tab === undefined) return;
    tabs.show(tab.id);
    keepName('panel', panel);
    goTo(panel);
  };
  const followSpan = (): void => {
    const chosen = readChosenSpan(location.hash);
    if (view === null || isSameSpan(chosen, view.span)) return;
    // The button that chose the span is gone with the contents of its tab.
    void choose(view.at).then(() => {
      if (document.activeElement === document.body) main.focus({ preventScroll: true });
    });
  };
  addEventListener('hashchange', followSpan);
  addEventListener('hashchange', follow);
  follow();
}
