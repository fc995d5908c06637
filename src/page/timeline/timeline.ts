/** The timeline of a page on a canvas, and its state in the address, synchronised in both directions. */
import { element } from '../document/dom-elements.js';
import { showDetails, showTip, showTrackTip, type LinkedPiece } from './controls/details.js';
import type { LongestTexts } from '../../prof/html/timeline/longest-texts.js';
import type { TimelineEvents } from './events/events.js';
import { whoseStart } from './events/coverage.js';
import { PointerGestures } from './controls/gestures.js';
import { actOn, type KeyActions } from './controls/keys.js';
import { showLegend, showToolbar } from './controls/toolbar.js';
import { showMarkers } from './controls/marker-panel.js';
import { nameEdge, showNames } from './controls/lane-names.js';
import { Scene, type SceneState } from './model/scene.js';
import { around, fitted, within, type SelectedSpan, type View } from './model/view.js';
import type { SearchElsewhere } from './controls/search/elsewhere.js';
import { showSearch } from './controls/search/search-box.js';
import { showSelection } from './controls/selection-panel.js';
import { TimelineCanvas } from './draw/stage.js';
import { showNotices, untimedLine, showTracks } from './controls/folded-panels.js';
import type { LoadedTimeline, TimelineExtras } from './tracks/load-tracks.js';
import { quantityText } from '../document/units.js';
import { readAddress, withAddress, type TimelineAddress } from './model/timeline-address.js';
import { matchAt, type StepSpan } from './model/search.js';

/** Interval in ms between changes of the address, because browsers limit their rate. */
const EVERY = 300;

/**
 * Addresses, like the axis, have times from the profile's start, so that a link is valid for any timeline of the profile.
 */
const moved = <Span extends View>(span: Span, by: number): Span => ({
  ...span,
  from: span.from + by,
  to: span.to + by,
});

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((member) => b.has(member));

const KEYS: readonly (keyof SceneState)[] = [
  ...(['view', 'event', 'colour', 'search', 'closed', 'opened', 'span', 'markers'] as const),
];

/** The piece of a profile that a timeline shows. */
interface ShownPiece {
  /** Index in the address; null for the piece that is shown first. */
  readonly at: number | null;
  /**
   * The part of the drawn time that belongs to the piece, in ns from the profile's start; absent when it is all of it.
   */
  readonly part: View | null;
  /** The first and last of its steps; null for a piece between steps. */
  readonly steps: StepSpan | null;
  /** The span that the page is about, in ns from the profile's start; null for all. */
  readonly chosen: SelectedSpan | null;
}

/** The view when the address states none: the chosen span if it is there, else the piece. */
function usualView({ origin, span }: TimelineEvents, { part, chosen }: ShownPiece): View {
  const { from, to } = moved(chosen ?? { from: 0, to: 0 }, -origin);
  if (chosen !== null && from < span && to > 0) return around(Math.max(0, from), Math.min(span, to), span);
  return part === null ? fitted(span) : within(moved(part, -origin), span);
}

function followAddress(scene: Scene, profile: number, piece: ShownPiece, signal: AbortSignal): void {
  const { events } = scene;
  const all = usualView(events, piece);
  const restore = (): void => {
    const address = readAddress(location.hash);
    const isOwn = address.profile === profile;
    const event = isOwn && address.event !== null && address.event < events.count ? address.event : null;
    scene.set({
      view: address.view === null ? all : within(moved(address.view, -events.origin), events.span),
      colour: address.colour ?? scene.usual,
      search: address.search,
      closed: address.closed === null ? scene.usuallyClosed : new Set(address.closed),
      opened: new Set(address.opened),
      event,
      span: isOwn && address.span !== null ? moved(address.span, -events.origin) : null,
      markers: isOwn ? address.markers : [],
    });
    const found =
      !isOwn || address.found === null || scene.matches === null ? null : matchAt(events, scene.matches, address.found);
    if (found !== null) scene.find(found);
  };
  const addressNow = (): Omit<TimelineAddress, 'found'> => {
    const { view, event, colour, search, closed, opened, span, markers } = scene.shown;
    const isAll = view.from === all.from && view.to === all.to;
    return {
      profile,
      piece: piece.at,
      view: isAll ? null : moved(view, events.origin),
      event,
      colour: colour === scene.usual ? null : colour,
      search,
      closed: isSameSet(closed, scene.usuallyClosed) ? null : [...closed],
      opened: [...opened],
      span: span === null ? null : moved(span, events.origin),
      markers,
    };
  };
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    waiting = undefined;
    const fragment = withAddress(location.hash, addressNow());
    try {
      const path = `${location.pathname}${location.search}`;
      history.replaceState(history.state, '', fragment === '' ? path : `${path}#${fragment}`);
    } catch {
      // A page in a frame may not be allowed to change its address. The timeline works without this.
    }
  };
  restore();
  scene.on(KEYS, () => {
    waiting ??= setTimeout(write, EVERY);
  });
  addEventListener('hashchange', restore, { signal });
  signal.addEventListener('abort', () => clearTimeout(waiting));
}

interface TimelineOptions {
  /** Index of the profile in its file, from 0. */
  readonly profile?: number;
  /** The file in suggested commands, as a shell word. */
  readonly file?: string;
  /** The shown piece of the profile. */
  readonly piece?: ShownPiece;
  /** Called when the view moves, with ns from the profile's start. */
  readonly viewed?: (view: View) => void;
  /** Shows the previous or next piece. */
  readonly step?: (by: 1 | -1) => void;
  /** Strings with strong colours; by default those of the piece. */
  readonly longest?: LongestTexts;
  readonly searchElsewhere?: SearchElsewhere;
  /** Shows a time in another piece, in ns from the profile's start. */
  readonly goTo?: (time: number) => void;
  /**
   * For a time whose events are merged here, the piece in which each event is drawn individually; null when there is
   * none.
   */
  readonly pieceAt?: (time: number) => LinkedPiece | null;
  /** Called after each drawing of the events, with its duration in ms. */
  readonly drawn?: (ms: number) => void;
}

export interface ShownTimeline {
  /** Settles when the timeline is drawn for the first time, or shows why it cannot be drawn. */
  readonly ready: Promise<void>;
  /** Moves the view. @param view ns from the profile's start */
  readonly look: (view: View) => void;
  /** Removes its event listeners, and empties its element. */
  readonly close: () => void;
}

/** @param place element whose contents belong to the timeline until it is closed */
export function showTimeline(
  place: HTMLElement,
  load: () => Promise<LoadedTimeline>,
  options: TimelineOptions = {},
): ShownTimeline {
  const closing = new AbortController();
  let scene: Scene | null = null;
  const loading = element('p', { class: 'tl-hint', role: 'status' }, 'loading …');
  place.replaceChildren(loading);
  const open = async (): Promise<void> => {
    try {
      const { events, extras } = await load();
      // Yields between frames, because laying out many events takes as long as unpacking them.
      await nextTask();
      if (closing.signal.aborted) return;
      scene = fill(place, events, extras, options, closing.signal);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'its data is damaged';
      loading.textContent = `the timeline cannot be shown: ${why}`;
    }
  };
  return {
    ready: open(),
    look: ({ from, to }) => {
      if (scene === null) return;
      const { origin } = scene.events;
      scene.look({ from: from - origin, to: to - origin });
    },
    close: () => {
      closing.abort();
      place.replaceChildren();
    },
  };
}

const nextTask = (): Promise<void> => new Promise((done) => setTimeout(done));

function whatIsDrawn({ count, coverage, merged }: TimelineEvents, { chosen }: ShownPiece): string {
  const all = merged === null ? 0 : merged.count.reduce((sum, each) => sum + each, 0);
  const bars = `${quantityText(all, 'count')} events in ${quantityText(count, 'count')} bars`;
  return [
    `${coverage.drawn}: ${merged === null ? `${quantityText(count, 'count')} events` : bars}`,
    ...(merged === null ? [] : [coverage.merged ?? []].flat()),
    ...(chosen === null ? [] : ['outside the span, events are faded']),
  ].join('; ');
}

/** The status text: how many arrows are hidden. */
function arrowStatus(scene: Scene): HTMLElement {
  const status = element('span', { role: 'status' });
  scene.on(['event'], () => {
    const { remark } = scene.arrows;
    status.textContent = remark === '' ? '' : ` · ${remark}`;
  });
  return status;
}

const FIRST_PIECE: ShownPiece = { at: null, part: null, steps: null, chosen: null };

function fill(
  place: HTMLElement,
  events: TimelineEvents,
  extras: TimelineExtras,
  options: TimelineOptions,
  signal: AbortSignal,
): Scene | null {
  const {
    profile = 0,
    file = 'FILE',
    piece = FIRST_PIECE,
    viewed,
    step,
    searchElsewhere,
    goTo,
    pieceAt,
    drawn,
  } = options;
  if (events.count === 0) {
    place.replaceChildren(element('p', { class: 'tl-hint' }, 'no events in this span of time'));
    return null;
  }
  const chosen = piece.chosen === null ? null : moved(piece.chosen, -events.origin);
  const scene = new Scene(events, extras, options.longest, chosen);
  const stage = new TimelineCanvas(scene, signal, drawn);
  const search = showSearch(scene, piece.steps, searchElsewhere);
  const markers = showMarkers(scene);
  const keys: KeyActions = {
    scene,
    scroll: (by) => {
      stage.body.scrollTop += by;
    },
    addMarker: markers.add,
    nextMatch: search.step,
    focusSearch: search.focus,
    stepPiece: (by) => step?.(by),
  };
  new PointerGestures(scene, stage, signal);
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (actOn(event.key, event.shiftKey, keys)) event.preventDefault();
  };
  stage.canvas.addEventListener('keydown', onKey, { signal });
  markers.listen(stage.canvas, (x) => stage.timeAt(x), signal);
  const names = showNames(scene);
  stage.sheet.prepend(
    element('div', { class: 'tl-corner' }, `time from ${whoseStart(events)} start`),
    element('div', { class: 'tl-pin' }, names.pinned),
  );
  stage.sheet.append(
    names.scrolled,
    nameEdge(place, stage.sheet, () => stage.resize()),
  );
  stage.holder.append(showTip(scene, stage.canvas, signal), showTrackTip(scene, stage, signal));
  scene.on(['event'], () => {
    const band = scene.shown.event === null ? null : scene.bandOf(scene.shown.event);
    if (band !== null) stage.reveal(band.top, band.height);
  });
  const notices = showNotices(scene, (time) => goTo?.(time));
  const results = [showDetails(scene, { profile, file, pieceAt }), showSelection(scene, signal)];
  const panels = [showTracks(scene, signal), notices, markers.place];
  const whole = element('div', { class: 'tl' });
  place.replaceChildren(whole);
  whole.append(
    element('p', { class: 'tl-what' }, whatIsDrawn(events, piece), arrowStatus(scene)),
    ...untimedLine(scene),
    showToolbar(scene, keys, search.place),
    ...search.lists,
    stage.body,
    stage.printed,
    showLegend(scene, signal),
    element('div', { class: 'tl-side' }, ...results, ...panels),
  );
  const tellView = (): void => {
    const { from, to } = scene.shown.view;
    viewed?.({ from: from + events.origin, to: to + events.origin });
  };
  scene.on(['view'], tellView);
  followAddress(scene, profile, piece, signal);
  tellView();
  return scene;
}
